/** What a project's settings are called. */
export const SETTINGS_FILE = 'assay.toml'
