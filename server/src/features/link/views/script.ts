import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rankOf } from './search-rank.ts'
import { hashSource } from './stylesheet.ts'

/** Only what a script can spare: comments on lines of their own, and indentation. */
const compact = (source: string): string =>
  source
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\s*$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n\s*/g, '\n')
    .trim()

/** The one script of the pages, inlined like the stylesheet. It is wrapped, so that nothing of it is global. */
export const SCRIPT = `(()=>{${compact(String(rankOf))}
${compact(readFileSync(join(import.meta.dirname, '../browser/link-page.js'), 'utf8'))}})()`

export const SCRIPT_HASH = hashSource(SCRIPT)
