import { suite } from 'assay'
import { extractDate } from './extract.ts'

export default suite({
  id: 'extract-dates',
  cases: [
    { id: 'plain', input: { text: 'on 3 May 2024' }, expected: '2024-05-03' },
    {
      id: 'sentence',
      input: { text: 'We met on 17 January 2023, I think.' },
      expected: '2023-01-17',
    },
    { id: 'two', input: { text: 'from 1 March 2022 to 4 June 2022' }, expected: '2022-03-01' },
    { id: 'late', input: { text: 'due 30 November 2024' }, expected: '2024-11-30' },
  ],
  subjects: {
    ours: async ({ input }) => extractDate(input.text),
    constant: () => '2024-05-03',
  },
  graders: [({ output, expected }) => ({ score: output === expected ? 1 : 0, reason: output })],
})
