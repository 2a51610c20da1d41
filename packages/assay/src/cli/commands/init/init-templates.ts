/** The files that `assay init` writes. A test checks that the suite passes `assay validate --prove`. */

export const SUITE_TEMPLATE = `#:schema ./assay.schema.json
# A suite: things to do, and how the answers are graded.
# The line above lets editors with a TOML language server complete and check this file.
# In a YAML suite the same line reads: # yaml-language-server: $schema=./assay.schema.json

id = "first-steps" # names the suite in every record; keep it when you edit
name = "First steps"
description = "Two small cases that prove themselves: the reference passes, the faulty answers fail."

# Shared by all cases; a case may override each of these.
[defaults]
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
# A long text may stand in a file of its own, inside this folder: prompt = { file = "leap-years.md" }
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
`

export const SETTINGS_TEMPLATE = `# Settings for the runs of this project. Flags win over them.
# Run \`assay models\` to see which providers are ready.

# model = "openai/gpt-5-mini"    # the subject of a run without --model; a list for several
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
