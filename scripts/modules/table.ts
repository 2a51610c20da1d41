/**
 * The table of modules and the imports that are allowed between them. The check, its test and the diagram in
 * CONTRIBUTING.md are made from this table. A module is a package, or a folder directly in packages/assay/src.
 */

export interface Module {
  /** The folder of the module, from the root of the repository. */
  readonly path: string
  /** A description in one line, for CONTRIBUTING.md. */
  readonly about: string
  /** The modules that the files of this module may import. */
  readonly imports: readonly string[]
  /** The files of this module that other modules may import, relative to its folder. */
  readonly entries: readonly string[]
}

const assay = (
  name: string,
  about: string,
  imports: readonly string[],
  entries: readonly string[] = ['index.ts'],
): readonly [string, Module] => [
  name,
  {
    path: `packages/assay/src/${name}`,
    about,
    imports: ['metrics', 'contract', ...imports],
    entries,
  },
]

const pack = (
  name: string,
  about: string,
  imports: readonly string[],
  entries: readonly string[] = ['index.ts'],
): readonly [string, Module] => [name, { path: `packages/${name}/src`, about, imports, entries }]

/**
 * The modules in the order in which data moves through them. A module imports only modules that are listed before
 * it.
 */
export const modules: ReadonlyMap<string, Module> = new Map([
  pack('metrics', 'every formula and statistic; imports nothing', []),
  pack(
    'contract',
    'the data that is written to disk or passed between packages',
    [],
    ['index.ts', 'hash.ts'],
  ),
  pack('sandbox', 'runs an untrusted program: mounts, limits, users, system calls', []),
  pack('code', 'grades a program: extract the code, compile, test and lint it, score', [
    'metrics',
    'contract',
    'sandbox',
  ]),
  assay('text', 'words, numbers, tables and widths for people', []),
  assay('environment', 'Assay’s own variables, and how keys are kept from other programs', []),
  assay(
    'pool',
    'threads and processes outside of the main thread, and how users’ modules load in them',
    [],
  ),
  assay('documents', 'reads TOML, YAML, JSON and modules, with the location of every value', [
    'text',
    'pool',
    'sandbox',
  ]),
  assay('functions', 'suites whose subjects and graders are functions, and where these run', [
    'pool',
    'documents',
    'sandbox',
  ]),
  assay(
    'log',
    'the run folder: record, trial lines, blobs, lock; `tally/` is what a log is read into',
    ['text', 'documents'],
  ),
  assay('git', 'git repositories from elsewhere, read without their settings', ['sandbox']),
  assay('suite', 'what is asked: suites in the native format and in imported ones', [
    'text',
    'documents',
    'functions',
    'log',
    'git',
    'sandbox',
    'code',
  ]),
  assay('workspace', 'the folders that agents work in', [
    'environment',
    'text',
    'pool',
    'git',
    'sandbox',
  ]),
  assay(
    'subject',
    'who answers: models, commands, agents, recorded and simulated answers',
    ['environment', 'text', 'documents', 'log', 'sandbox'],
    ['index.ts', 'names.ts'],
  ),
  assay('grade', 'the graders, and from their grades to an outcome', [
    'text',
    'pool',
    'sandbox',
    'code',
  ]),
  assay('run', 'plan, schedule, grade, record, resume', [
    'text',
    'documents',
    'log',
    'git',
    'suite',
    'workspace',
    'subject',
    'grade',
    'sandbox',
    'code',
  ]),
  assay(
    'report',
    'report.json, its figures, and every format that people and machines read',
    ['text', 'log'],
    ['index.ts', 'view-data/index.ts', 'formats/names.ts', 'gates/names.ts'],
  ),
  assay('merge', 'joins the runs of the parts of a plan', ['text', 'log']),
  assay(
    'compare',
    'two reports, and the gate',
    ['text', 'documents', 'log', 'report'],
    ['index.ts', 'names.ts'],
  ),
  assay('analyze', 'results that ran elsewhere', ['text', 'documents', 'log', 'report']),
  assay('view', 'the workbench’s server, its index of runs, labels and tags', [
    ...['text', 'environment', 'log', 'report', 'compare'],
  ]),
  assay(
    'trust',
    'what a folder starts, sends and reads, and whether the user allows it',
    ['text', 'environment', 'log', 'suite', 'subject', 'grade'],
    // Commands that only read runs import `root.ts` directly, so that they do not load the rest of the module.
    ['index.ts', 'root.ts'],
  ),
  assay('queue', 'runs trials on many machines: coordinator, workers, limits in Redis', [
    ...['environment', 'text', 'documents', 'log', 'suite', 'workspace', 'subject', 'grade', 'run'],
    ...['trust', 'functions', 'sandbox', 'code'],
  ]),
  assay('experiment', 'tiers: experiment files', ['text', 'documents', 'log', 'suite', 'subject']),
  assay(
    'cli',
    'the commands, their settings and what they print',
    [
      ...['text', 'documents', 'log', 'suite', 'workspace', 'subject', 'grade', 'run', 'report'],
      ...[
        'merge',
        'compare',
        'analyze',
        'view',
        'trust',
        'queue',
        'experiment',
        'environment',
        'sandbox',
        'code',
      ],
      'functions',
    ],
    ['main.ts'],
  ),
  assay('library', 'what programs use: suites, runs, comparisons and gates', [
    ...['documents', 'functions', 'log', 'suite', 'subject', 'grade', 'run', 'report', 'compare'],
    'analyze',
  ]),
  [
    'assay',
    {
      path: 'packages/assay/src',
      about: 'the library: `index.ts` exports what programs may use',
      imports: [
        'metrics',
        'contract',
        'documents',
        'log',
        'suite',
        'subject',
        'grade',
        'run',
        'report',
        'merge',
        'compare',
        'analyze',
        'functions',
        'library',
      ],
      entries: ['index.ts', 'version.ts'],
    },
  ],
  [
    'viewer',
    {
      path: 'packages/viewer/src',
      about: 'the pages: Preact and Observable Plot, built into one file',
      imports: ['metrics', 'report'],
      entries: [],
    },
  ],
])

/** For each package name in imports, the file that it means. */
export const packageEntries: ReadonlyMap<string, string> = new Map([
  ['@assay/metrics', 'packages/metrics/src/index.ts'],
  ['@assay/contract', 'packages/contract/src/index.ts'],
  ['@assay/contract/hash', 'packages/contract/src/hash.ts'],
  ['@assay/sandbox', 'packages/sandbox/src/index.ts'],
  ['@assay/code', 'packages/code/src/index.ts'],
  ['assay/view-data', 'packages/assay/src/report/view-data/index.ts'],
])

/** The most files that may be directly in one folder. */
export const MOST_FILES = 25

/** Folders of recorded data. They may contain more files. */
export const DATA_FOLDERS: readonly string[] = [
  'packages/metrics/golden',
  'packages/assay/test/agent-streams',
]
