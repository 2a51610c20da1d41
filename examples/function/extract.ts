const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June'] as const

/** Returns the first date of a text as YYYY-MM-DD. */
export function extractDate(text: string): string {
  const [, day = '', name = '', year = ''] = /(\d{1,2}) ([A-Z][a-z]+) (\d{4})/u.exec(text) ?? []
  const month = MONTHS.findIndex((one) => one === name) + 1
  if (month === 0) throw new Error(`no date in: ${text}`)
  return `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
}
