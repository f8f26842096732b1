import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rankOf } from './search-rank.ts'
import { hashSource } from './stylesheet.ts'

/** Removes full-line comments and indentation. */
const compact = (source: string): string =>
  source
    .replace(/^\s*\/\*\*[\s\S]*?\*\/\s*$/gm, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n\s*/g, '\n')
    .trim()

/** The script of all pages, inlined like the stylesheet and wrapped to avoid globals. */
export const SCRIPT = `(()=>{${compact(String(rankOf))}
${compact(readFileSync(join(import.meta.dirname, '../browser/link-page.js'), 'utf8'))}})()`

export const SCRIPT_HASH = hashSource(SCRIPT)
