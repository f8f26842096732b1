import { readFileSync } from 'node:fs'

/** The sources and the build are both one folder below the manifest. */
export const readVersion = (): string => {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
