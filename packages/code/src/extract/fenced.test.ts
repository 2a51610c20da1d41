import { describe, expect, it } from 'vitest'
import { fencedBlocks } from './fenced.ts'

describe('fencedBlocks', () => {
  it.each([
    ['no block', []],
    ['```\na\nb\n```', [['', 'a\nb']]],
    ['talk\n```JSON title\n1\n```\ntalk', [['json', '1']]],
    ['~~~py\nx\n~~~', [['py', 'x']]],
    ['````md\n```js\n1\n```\n````', [['md', '```js\n1\n```']]],
    ['```\na', [['', 'a']]],
    ['```a```\n```b\n1\n```', [['b', '1']]],
    ['```\r\na\r\n```\r\n', [['', 'a']]],
    ['    ```\n    not\n    ```', []],
    ['   ```\n    x\n  y\n  ```', [['', ' x\ny']]],
    ['```rust,ignore\n1\n```', [['rust', '1']]],
    ['```{.python}\n1\n```', [['python', '1']]],
    ['```\na\n~~~\n```', [['', 'a\n~~~']]],
    [
      '```\n1\n```\n\n```\n2\n```',
      [
        ['', '1'],
        ['', '2'],
      ],
    ],
  ])('%j', (text, expected) => {
    expect(fencedBlocks(text).map(({ language, content }) => [language, content])).toEqual(expected)
  })
})
