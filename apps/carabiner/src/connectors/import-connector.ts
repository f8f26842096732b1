import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliContext, CommandError, type FailingOutput, UsageError } from '@carabiner/cli'
import { readConnector, showProblem } from '@carabiner/server/connector-files'
import { readOpenApi } from '../openapi/document.ts'
import { type Imported, importOpenApi } from '../openapi/import.ts'

export type ImportOptions = {
  out?: string
  slug?: string
  name?: string
  server?: string
  identity?: string
  auth?: string
  include?: string[]
  max: number
  force?: boolean
}

/** Creates a connector file from an API description, validates it as `check` does, and writes it only if it is valid. */
export const importConnector = (
  { environment }: Pick<CliContext, 'environment'>,
  document: string,
  given: ImportOptions,
): FailingOutput => {
  const folder = given.out ?? (environment.CONNECTORS_DIRECTORY?.trim() || undefined)
  if (folder === undefined)
    throw new UsageError('The output folder is missing: use --out, or set CONNECTORS_DIRECTORY.')
  const imported = importOpenApi(readOpenApi(readText(document), document), {
    ...given,
    include: given.include ?? [],
  })
  const text = `${JSON.stringify(imported.file, null, 2)}\n`
  const path = join(folder, `${imported.file.slug}.json`)
  requireValid(text, path, imported)
  if (existsSync(path) && !given.force)
    throw new CommandError(`${path} already exists. Use --force to replace it.`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, text)
  const { partial, skipped, guessed, todo } = imported
  return {
    text: report(path, imported),
    data: {
      file: path,
      slug: imported.file.slug,
      tools: imported.file.tools.map(({ name }) => name),
      partial,
      skipped,
      guessed,
      todo,
    },
  }
}

const readText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}.`,
    )
  }
}

const requireValid = (text: string, path: string, { file }: Imported): void => {
  const read = readConnector(text, path, {
    places: {},
    slug: file.slug,
    rules: true,
  })
  if (!('problems' in read)) return
  throw new CommandError(
    [
      'The resulting connector file is not valid; nothing was written.',
      ...read.problems.map(showProblem),
    ].join('\n'),
  )
}

const MAX_SHOWN = 100

const listed = (lines: string[]): string[] => [
  ...lines.slice(0, MAX_SHOWN).map(line => `  - ${line}`),
  ...(lines.length > MAX_SHOWN ? [`  … and ${lines.length - MAX_SHOWN} more; --json lists them all`] : []),
]

const report = (path: string, { file, partial, skipped, guessed, todo }: Imported): string =>
  [
    `Wrote ${path}: ${file.tools.length === 1 ? '1 tool' : `${file.tools.length} tools`}.`,
    ...(partial.length > 0 ? ['', 'Imported in part, without:', ...listed(partial)] : []),
    ...(skipped.length > 0 ? ['', 'Skipped:', ...listed(skipped)] : []),
    ...(guessed.length > 0 ? ['', 'Guessed, please check:', ...listed(guessed)] : []),
    '',
    'To do, because the document does not contain it:',
    ...listed(todo),
    '',
    `Then: carabiner connectors check ${path}`,
  ].join('\n')
