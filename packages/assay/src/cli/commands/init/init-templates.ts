/**
 * The files that `assay init` writes. Tests check that the suite passes `assay validate --prove`. They also check
 * that it can distinguish a subject with a pass rate of 0.4 from one with 0.8. With fewer cases or trials it could
 * not.
 */

/** The paths of schemas in the templates. `init` replaces them with the right paths. */
export const SUITE_SCHEMA = './assay.schema.json'
export const SETTINGS_SCHEMA = './assay-settings.schema.json'

export const SUITE_TEMPLATE = `#:schema ${SUITE_SCHEMA}
# A suite: things to do, and how the answers are graded.
# The line above lets editors with a TOML language server complete and check this file.
# In a YAML suite the same line reads: # yaml-language-server: $schema=${SUITE_SCHEMA}

id = "first-steps" # names the suite in every record; keep it when you edit
name = "First steps"
description = "Small cases that prove themselves: the reference passes, the faulty answers fail."

# Shared by all cases; a case may override each of these.
[defaults]
trials = 5 # each case is asked so often; answers differ from time to time
timeout = "60s" # for one answer; a number means seconds
maxTokens = 1000

# Without a threshold a trial passes when every grader passes.
# With one it passes when the weighted mean of the grades reaches it:
# [scoring]
# threshold = 0.8

[[cases]]
id = "capital" # part of every record of this case
prompt = "What is the capital of France? Answer with the city's name and nothing else."
tags = ["facts"] # assay run suite.toml --filter facts
reference = "Paris" # an answer that must pass
faulty = ["Lyon", "The capital of France is Paris."] # answers that must fail

[[cases.graders]]
type = "equals"
value = "Paris"
ignoreCase = true

[[cases]]
id = "leap-years"
prompt = """
Which years from 2019 to 2030 are leap years?
Answer with the years, separated by commas, and nothing else.
"""
# A long text may be in a file, inside this folder: prompt = { file = "leap-years.md" }
tags = ["dates"]
reference = "2020, 2024, 2028"
faulty = [
  "2020, 2024",
  "2020, 2022, 2024, 2026, 2028",
  "The leap years are 2020, 2024 and 2028.",
]

[[cases.graders]]
type = "contains"
all = ["2020", "2024", "2028"]
weight = 2 # counts twice in the score

[[cases.graders]]
type = "matches"
name = "only-years" # what its grade is called in records
pattern = "^[0-9, ]+$"

[[cases.graders]]
type = "contains"
name = "no-other-years"
any = ["2019", "2021", "2022", "2023", "2025", "2026", "2027", "2029", "2030"]
negate = true # passes when none of them is there
required = true # when it fails, the score is 0

# Graders may be written in one line. \`assay graders\` lists all types.

[[cases]]
id = "february"
prompt = "How many days did February have in 1900? Answer with the number."
tags = ["dates"]
reference = "28"
faulty = ["29", "It was a leap year, so 29."]
graders = [{ type = "numeric", value = 28 }]

[[cases]]
id = "product"
prompt = "What is 17 times 24? Answer with the number."
tags = ["numbers"]
reference = "408"
faulty = ["398", "I cannot calculate."]
graders = [{ type = "numeric", value = 408 }]

[[cases]]
id = "metres"
prompt = "How many metres are 2.4 km? Answer with the number."
tags = ["numbers"]
reference = "2400"
faulty = ["240", "24000"]
graders = [{ type = "numeric", value = 2400 }]

[[cases]]
id = "roman"
prompt = "Write 1994 in Roman numerals. Answer with the numeral and nothing else."
tags = ["numbers"]
reference = "MCMXCIV"
faulty = ["MDCCCCXCIV", "1994"]
graders = [{ type = "equals", value = "MCMXCIV" }]

[[cases]]
id = "gold"
prompt = "What is the chemical symbol of gold? Answer with the symbol and nothing else."
tags = ["facts"]
reference = "Au"
faulty = ["Ag", "Gold"]
graders = [{ type = "equals", value = "Au" }]

[[cases]]
id = "planet"
prompt = "Which planet is closest to the sun? Answer with its name and nothing else."
tags = ["facts"]
reference = "Mercury"
faulty = ["Venus", "The closest one is Mars."]
graders = [{ type = "equals", value = "Mercury", ignoreCase = true }]

[[cases]]
id = "reverse"
prompt = "Write the letters of the word 'drawer' in reverse order. Answer with the word."
tags = ["words"]
reference = "reward"
faulty = ["drawer", "rewadr"]
graders = [{ type = "contains", value = "reward", ignoreCase = true }]

[[cases]]
id = "sort"
prompt = "Sort these words by the alphabet, separated by commas: pear, fig, apple, plum."
tags = ["words"]
reference = "apple, fig, pear, plum"
faulty = ["apple, pear, fig, plum", "fig, pear, plum, apple"]
graders = [{ type = "matches", pattern = "apple,\\\\s*fig,\\\\s*pear,\\\\s*plum" }]

[[cases]]
id = "letters"
prompt = "How many times does the letter r occur in 'strawberry'? Answer with the number."
tags = ["words"]
reference = "3"
faulty = ["2", "There are two."]
graders = [{ type = "numeric", value = 3 }]

[[cases]]
id = "json"
prompt = "Ada Lovelace was born in 1815. Answer with a JSON object that has the keys name and born."
tags = ["formats"]
reference = '{ "name": "Ada Lovelace", "born": 1815 }'
faulty = ['{ "name": "Ada Lovelace" }', "name: Ada Lovelace, born: 1815"]
graders = [{ type = "json", path = "/born", equals = 1815, schema = { type = "object", required = ["name"] } }]
`

export const SETTINGS_TEMPLATE = `#:schema ${SETTINGS_SCHEMA}
# Settings for the runs of this project. Flags win over them.

suites = ["suite.toml"] # what \`assay run\` runs without arguments, next to *.eval.ts files

# Who answers without --model; a list for several. A simulated subject draws from the reference and
# the faulty answers of a suite: it needs no key, and says nothing about any model.
# Run \`assay models\` to see which providers are ready, and name one: "openai/gpt-5-mini"
model = "simulated:pass=0.8"

# trials = 5                     # per case and subject
# passK = [1, 5]                 # report pass@1 and pass@5
# budget = 2.0                   # most US dollars one run may spend
# parallelism = 8                # requests at once
# prices = "prices.toml"         # prices of models the catalogue does not know

# Keys come from the usual environment variables (OPENAI_API_KEY, ANTHROPIC_API_KEY, …).
# A server of your own:
# [providers.local]
# baseUrl = "http://127.0.0.1:8000/v1"
# apiKeyEnv = "LOCAL_API_KEY"

# Subjects with their parameters, for --model careful:
# [subjects.careful]
# model = "anthropic/claude-haiku-4-5"
# temperature = 0.2
# system = "Think step by step, then answer."
`
