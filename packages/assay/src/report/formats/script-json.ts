/**
 * JSON that can stand inside a `<script>` element: whatever the data holds, the parser of the page meets no
 * tag, no comment and no end of the script in it. JSON already escapes control characters and lone
 * surrogates.
 */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** How much room a value takes there. */
export const scriptBytes = (value: unknown): number => Buffer.byteLength(scriptJson(value))
