/**
 * The files of a static site. From file://, a page can load neither modules nor data, only classic scripts and styles.
 * So each piece of data is a script that passes a JSON text to the page. It is a text and not a literal, because a
 * literal with a key such as `__proto__` would be another value.
 */

/** The function that the page defines before it loads such a script. */
const RECEIVER = 'assaySite'

export const siteScript = (name: string, data: unknown): string =>
  `${RECEIVER}('${name}','${quotedText(JSON.stringify(data))}')\n`

/** Neither a quote nor an end of line can end the string early. */
const quotedText = (json: string): string =>
  json.replaceAll(/['\\<\u2028\u2029]/g, (one) =>
    one === '\\' ? '\\\\' : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** The mark by which the page knows that it is a static site, and by which an earlier export is recognised. */
export const SITE_MARK = '<meta name="assay-site" content="1" />'

/** From a folder, `'self'` does not cover the files next to the page in every browser, but `file:` does. */
const POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file: 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** Turns the page of the server into the page of a site. */
export const sitePage = (page: string): string =>
  page.replace(
    '<meta charset="utf-8" />',
    `<meta charset="utf-8" />\n    <meta http-equiv="Content-Security-Policy" content="${POLICY}" />\n    ${SITE_MARK}`,
  )
