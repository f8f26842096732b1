import { type InstalledFolder, installFolder } from './installed-folder.ts'

/** Linters and a generator for the API document: large, and needed by one test only. */
export const installOpenapiTools = (): Promise<InstalledFolder> => installFolder('openapi-tools')
