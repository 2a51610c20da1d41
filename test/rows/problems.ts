/**
 * The problems of the corpus in three languages, each with a right function body and one that is off by one. Bodies
 * are indented as inside a function. TypeScript uses the bodies of JavaScript.
 */

export type Type = 'int' | 'text' | 'bool' | 'ints' | 'table'
export type Value = number | string | boolean | readonly number[] | readonly (readonly number[])[]

export interface Bodies {
  readonly py: string
  readonly js: string
  readonly rs: string
}

export interface Problem {
  /** The name in snake case. */
  readonly name: string
  readonly task: string
  readonly parameters: readonly (readonly [name: string, type: Type])[]
  readonly returns: Type
  readonly tests: readonly (readonly [args: readonly Value[], expected: Value])[]
  readonly right: Bodies
  readonly offByOne: Bodies
  /** The constant that a wrong answer always returns. At least one test expects it, but not all tests do. */
  readonly constant: Value
}

export const problems: readonly Problem[] = [
  {
    name: 'even_place_sum',
    task: 'Return the sum of the values at even places, the first place being 0.',
    parameters: [['values', 'ints']],
    returns: 'int',
    tests: [
      [[[]], 0],
      [[[5]], 5],
      [[[1, 10, 2]], 3],
      [[[4, 1, -4, 1, 7]], 7],
    ],
    constant: 0,
    right: {
      py: '    return sum(values[0::2])\n',
      js: '  return values.filter((_, index) => index % 2 === 0).reduce((sum, one) => sum + one, 0);\n',
      rs: '    values.iter().step_by(2).sum()\n',
    },
    offByOne: {
      py: '    return sum(values[1::2])\n',
      js: '  return values.filter((_, index) => index % 2 === 1).reduce((sum, one) => sum + one, 0);\n',
      rs: '    values.iter().skip(1).step_by(2).sum()\n',
    },
  },
  {
    name: 'vowel_pairs',
    task: 'Count the places where two vowels (a, e, i, o, u) stand next to each other.',
    parameters: [['text', 'text']],
    returns: 'int',
    tests: [
      [[''], 0],
      [['queue'], 3],
      [['tree house'], 2],
      [['rhythm'], 0],
      [['aeiou'], 4],
    ],
    constant: 0,
    right: {
      py: '    pairs = 0\n    for index in range(len(text) - 1):\n        if text[index] in "aeiou" and text[index + 1] in "aeiou":\n            pairs += 1\n    return pairs\n',
      js: "  let pairs = 0;\n  for (let index = 0; index + 1 < text.length; index++) {\n    if ('aeiou'.includes(text[index]) && 'aeiou'.includes(text[index + 1])) {\n      pairs++;\n    }\n  }\n  return pairs;\n",
      rs: '    let is_vowel = |letter: char| "aeiou".contains(letter);\n    let letters: Vec<char> = text.chars().collect();\n    letters.windows(2).filter(|pair| is_vowel(pair[0]) && is_vowel(pair[1])).count() as i64\n',
    },
    offByOne: {
      py: '    pairs = 0\n    for index in range(len(text) - 2):\n        if text[index] in "aeiou" and text[index + 1] in "aeiou":\n            pairs += 1\n    return pairs\n',
      js: "  let pairs = 0;\n  for (let index = 0; index + 2 < text.length; index++) {\n    if ('aeiou'.includes(text[index]) && 'aeiou'.includes(text[index + 1])) {\n      pairs++;\n    }\n  }\n  return pairs;\n",
      rs: '    let is_vowel = |letter: char| "aeiou".contains(letter);\n    let letters: Vec<char> = text.chars().skip(1).collect();\n    letters.windows(2).filter(|pair| is_vowel(pair[0]) && is_vowel(pair[1])).count() as i64\n',
    },
  },
  {
    name: 'clamp_all',
    task: 'Return the values with each below low raised to low and each above high lowered to high.',
    parameters: [
      ['values', 'ints'],
      ['low', 'int'],
      ['high', 'int'],
    ],
    returns: 'ints',
    tests: [
      [[[], 0, 1], []],
      [
        [[1, 5, 9], 2, 8],
        [2, 5, 8],
      ],
      [
        [[-3, 0, 3], -1, 1],
        [-1, 0, 1],
      ],
    ],
    constant: [],
    right: {
      py: '    return [min(max(value, low), high) for value in values]\n',
      js: '  return values.map((value) => Math.min(Math.max(value, low), high));\n',
      rs: '    values.into_iter().map(|value| value.max(low).min(high)).collect()\n',
    },
    offByOne: {
      py: '    return [min(max(value, low), high - 1) for value in values]\n',
      js: '  return values.map((value) => Math.min(Math.max(value, low), high - 1));\n',
      rs: '    values.into_iter().map(|value| value.max(low).min(high - 1)).collect()\n',
    },
  },
  {
    name: 'climbs_by_one',
    task: 'Return whether every value is greater by exactly one than the value before it.',
    parameters: [['values', 'ints']],
    returns: 'bool',
    tests: [
      [[[]], true],
      [[[7]], true],
      [[[3, 4, 5]], true],
      [[[3, 4, 6]], false],
      [[[3, 5, 7]], false],
      [[[2, 1]], false],
    ],
    constant: true,
    right: {
      py: '    return all(b - a == 1 for a, b in zip(values, values[1:]))\n',
      js: '  return values.every((value, index) => index === 0 || value - values[index - 1] === 1);\n',
      rs: '    values.windows(2).all(|pair| pair[1] - pair[0] == 1)\n',
    },
    offByOne: {
      py: '    return all(b - a == 1 for a, b in zip(values, values[1:-1]))\n',
      js: '  return values.slice(0, -1).every((value, index) => index === 0 || value - values[index - 1] === 1);\n',
      rs: '    values.windows(2).skip(1).all(|pair| pair[1] - pair[0] == 1)\n',
    },
  },
  {
    name: 'digit_product',
    task: 'Return the product of the digits of a positive number that are not zero.',
    parameters: [['number', 'int']],
    returns: 'int',
    tests: [
      [[1], 1],
      [[10], 1],
      [[234], 24],
      [[5005], 25],
    ],
    constant: 1,
    right: {
      py: '    product = 1\n    while number > 0:\n        product *= (number % 10) or 1\n        number //= 10\n    return product\n',
      js: '  let product = 1;\n  for (const digit of String(number)) {\n    product *= Number(digit) || 1;\n  }\n  return product;\n',
      rs: '    let mut product = 1;\n    let mut rest = number;\n    while rest > 0 {\n        if rest % 10 != 0 {\n            product *= rest % 10;\n        }\n        rest /= 10;\n    }\n    product\n',
    },
    offByOne: {
      py: '    product = 1\n    while number > 9:\n        product *= (number % 10) or 1\n        number //= 10\n    return product\n',
      js: '  let product = 1;\n  for (const digit of String(number).slice(1)) {\n    product *= Number(digit) || 1;\n  }\n  return product;\n',
      rs: '    let mut product = 1;\n    let mut rest = number;\n    while rest > 9 {\n        if rest % 10 != 0 {\n            product *= rest % 10;\n        }\n        rest /= 10;\n    }\n    product\n',
    },
  },
  {
    name: 'turn_left',
    task: 'Move the first value to the end as many times as steps says, and return the list.',
    parameters: [
      ['values', 'ints'],
      ['steps', 'int'],
    ],
    returns: 'ints',
    tests: [
      [[[], 3], []],
      [
        [[1, 2, 3], 0],
        [1, 2, 3],
      ],
      [
        [[1, 2, 3], 1],
        [2, 3, 1],
      ],
      [
        [[1, 2, 3, 4], 6],
        [3, 4, 1, 2],
      ],
    ],
    constant: [1, 2, 3],
    right: {
      py: '    if not values:\n        return []\n    cut = steps % len(values)\n    return values[cut:] + values[:cut]\n',
      js: '  if (values.length === 0) {\n    return [];\n  }\n  const cut = steps % values.length;\n  return [...values.slice(cut), ...values.slice(0, cut)];\n',
      rs: '    if values.is_empty() {\n        return values;\n    }\n    let mut turned = values;\n    let cut = steps as usize % turned.len();\n    turned.rotate_left(cut);\n    turned\n',
    },
    offByOne: {
      py: '    if not values:\n        return []\n    cut = (steps + 1) % len(values)\n    return values[cut:] + values[:cut]\n',
      js: '  if (values.length === 0) {\n    return [];\n  }\n  const cut = (steps + 1) % values.length;\n  return [...values.slice(cut), ...values.slice(0, cut)];\n',
      rs: '    if values.is_empty() {\n        return values;\n    }\n    let mut turned = values;\n    let cut = (steps as usize + 1) % turned.len();\n    turned.rotate_left(cut);\n    turned\n',
    },
  },
  {
    name: 'longest_stay',
    task: 'Return the length of the longest stretch of equal values next to each other.',
    parameters: [['values', 'ints']],
    returns: 'int',
    tests: [
      [[[]], 0],
      [[[4]], 1],
      [[[1, 1, 2, 2, 2, 1]], 3],
      [[[5, 5, 5, 5]], 4],
    ],
    constant: 1,
    right: {
      py: '    longest = run = 0\n    for index, value in enumerate(values):\n        run = run + 1 if index > 0 and values[index - 1] == value else 1\n        longest = max(longest, run)\n    return longest\n',
      js: '  let longest = 0;\n  let run = 0;\n  values.forEach((value, index) => {\n    run = index > 0 && values[index - 1] === value ? run + 1 : 1;\n    longest = Math.max(longest, run);\n  });\n  return longest;\n',
      rs: '    let mut longest = 0;\n    let mut run = 0;\n    for index in 0..values.len() {\n        run = if index > 0 && values[index - 1] == values[index] { run + 1 } else { 1 };\n        longest = longest.max(run);\n    }\n    longest\n',
    },
    offByOne: {
      py: '    longest = run = 0\n    for index, value in enumerate(values):\n        run = run + 1 if index > 0 and values[index - 1] == value else 0\n        longest = max(longest, run)\n    return longest\n',
      js: '  let longest = 0;\n  let run = 0;\n  values.forEach((value, index) => {\n    run = index > 0 && values[index - 1] === value ? run + 1 : 0;\n    longest = Math.max(longest, run);\n  });\n  return longest;\n',
      rs: '    let mut longest = 0;\n    let mut run = 0;\n    for index in 0..values.len() {\n        run = if index > 0 && values[index - 1] == values[index] { run + 1 } else { 0 };\n        longest = longest.max(run);\n    }\n    longest\n',
    },
  },
  {
    name: 'word_heads',
    task: 'Return the first letters of the words of a text, which are parted by single blanks, as one word.',
    parameters: [['text', 'text']],
    returns: 'text',
    tests: [
      [['north'], 'n'],
      [['big old tree'], 'bot'],
      [['a "quoted" word'], 'a"w'],
      [['one two'], 'ot'],
    ],
    constant: 'bot',
    right: {
      py: '    return "".join(word[0] for word in text.split(" "))\n',
      js: "  return text.split(' ').map((word) => word[0]).join('');\n",
      rs: "    text.split(' ').filter_map(|word| word.chars().next()).collect()\n",
    },
    offByOne: {
      py: '    return "".join(word[0] for word in text.split(" ")[1:])\n',
      js: "  return text.split(' ').slice(1).map((word) => word[0]).join('');\n",
      rs: "    text.split(' ').skip(1).filter_map(|word| word.chars().next()).collect()\n",
    },
  },
  {
    name: 'stairs',
    task: 'Return rows of growing length: row number n, counted from 1, has n times the number n.',
    parameters: [['count', 'int']],
    returns: 'table',
    tests: [
      [[0], []],
      [[1], [[1]]],
      [[3], [[1], [2, 2], [3, 3, 3]]],
    ],
    constant: [[1]],
    right: {
      py: '    return [[row] * row for row in range(1, count + 1)]\n',
      js: '  return Array.from({ length: count }, (_, index) => Array(index + 1).fill(index + 1));\n',
      rs: '    (1..=count).map(|row| vec![row; row as usize]).collect()\n',
    },
    offByOne: {
      py: '    return [[row] * row for row in range(1, count)]\n',
      js: '  return Array.from({ length: count }, (_, index) => Array(index).fill(index));\n',
      rs: '    (1..count).map(|row| vec![row; row as usize]).collect()\n',
    },
  },
]
