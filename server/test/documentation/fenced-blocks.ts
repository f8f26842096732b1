import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../../..')

export type Block = {
  /** File and line: `docs/guides/webhooks.md:65`. */
  place: string
  file: string
  /** Empty if the block names none. */
  language: string
  /** From `[name]` after the language. Other blocks of the page import it. */
  name: string | null
  code: string
}

const FOLDERS = ['docs', 'packages', 'apps', 'examples', 'bench', 'deploy', 'dashboard', 'server']

/** The fenced blocks of every Markdown file of the repository. */
export const readBlocks = (): Block[] =>
  globSync(`{*.md,{${FOLDERS.join(',')}}/**/*.md}`, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '**/.vitepress/**'],
  })
    .toSorted()
    .flatMap(file => blocksOf(file, readFileSync(join(root, file), 'utf8')))

const FENCE = /^( *)```(\S*)(?: +\[([^\]]+)\])?\n([^]*?)^ *```$/gm

export const blocksOf = (file: string, text: string): Block[] =>
  [...text.matchAll(FENCE)].map(
    ({ index, 1: indent = '', 2: language = '', 3: name = null, 4: code = '' }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      file,
      language,
      name,
      code: code.replace(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
