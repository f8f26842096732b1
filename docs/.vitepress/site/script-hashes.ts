import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Scripts without an address, such as the one that sets the theme before the first paint. */
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g

/** The inline scripts of all pages, as sources of a content security policy. */
export const inlineScriptHashes = (folder: string): string[] => {
  const scripts = globSync('**/*.html', { cwd: folder }).flatMap(name =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(INLINE_SCRIPT)].map(([, script = '']) => script),
  )
  return [...new Set(scripts)].map(
    script => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
}
