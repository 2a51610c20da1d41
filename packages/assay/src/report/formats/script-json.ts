/**
 * Returns JSON that is safe inside a `<script>` element. Whatever the data contains, the HTML parser finds no tag,
 * comment or end of script in it. JSON itself already escapes control characters and lone surrogates.
 */
export const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Returns the size in bytes of a value as `scriptJson` writes it. */
export const scriptBytes = (value: unknown): number => Buffer.byteLength(scriptJson(value))
