/**
 * Makes the files of a static site. A page that is opened from file:// can load only classic scripts and styles, and
 * neither modules nor data. So each piece of data is a script that passes a JSON text to the page. An object literal
 * would not do, because a key such as `__proto__` in it would change the value.
 */

/** The function that receives the data. The page defines it before it loads such a script. */
const RECEIVER = 'assaySite'

export const siteScript = (name: string, data: unknown): string =>
  `${RECEIVER}('${name}','${quotedText(JSON.stringify(data))}')\n`

/** Escapes characters that could end the string or the script early, such as quotes and line ends. */
const quotedText = (json: string): string =>
  json.replaceAll(/['\\<\u2028\u2029]/g, (one) =>
    one === '\\' ? '\\\\' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * A tag that tells the page that it is part of a static site. It also shows that a folder contains an earlier site.
 */
export const SITE_MARK = '<meta name="assay-site" content="1" />'

/**
 * The content security policy. `file:` is needed because, for pages opened from a folder, `'self'` does not cover
 * the files next to the page in every browser.
 */
const POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** Turns the server's page into the page of a static site. */
export const sitePage = (page: string): string =>
  page.replace(
    '<meta charset="utf-8" />',
    `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />\n    ${SITE_MARK}`,
  )
