import { extname } from 'node:path'

/**
 * The URL of a program that is located beside the importing module, whose `import.meta.url` is given. Both are TypeScript in the
 * repository and JavaScript in the published package.
 */
export const siblingModule = (name: string, importer: string): URL =>
  new URL(`./${name}${extname(importer)}`, importer)
