/** A problem in a connector file: its path from the root, and the reason. */
export type Problem = { path: Step[]; reason: string }
export type Step = string | number

/** A problem with its position in the file. */
export type LocatedProblem = { file: string; line: number; column: number; path: string; reason: string }

export const problem = (path: Step[], reason: string): Problem => ({ path, reason })

/** `authorization[0].pkce` */
export const showPath = (path: Step[]): string =>
  path.reduce<string>((shown, step) => {
    if (typeof step === 'number') return `${shown}[${step}]`
    const plain = /^[$\w-]+$/.test(step)
    if (!plain) return `${shown}[${JSON.stringify(step)}]`
    return shown === '' ? step : `${shown}.${step}`
  }, '')

export const showProblem = ({ file, line, column, path, reason }: LocatedProblem): string =>
  `${file}:${line}:${column}  ${path === '' ? '' : `${path}: `}${reason}`

const MAX_SHOWN = 40

/** Invalid connector files. The service does not start without some of its connectors. */
export class CatalogError extends Error {
  readonly problems: LocatedProblem[]

  constructor(problems: LocatedProblem[]) {
    const files = new Set(problems.map(({ file }) => file)).size
    const shown = problems.slice(0, MAX_SHOWN).map(found => `  ${showProblem(found)}`)
    const rest = problems.length - shown.length
    super(
      [
        `${files === 1 ? 'A connector file is' : `${files} connector files are`} not valid:`,
        ...shown,
        ...(rest > 0 ? [`  … and ${rest} more. \`carabiner connectors check\` lists them all.`] : []),
      ].join('\n'),
    )
    this.name = 'CatalogError'
    this.problems = problems
  }
}

/** A problem for each duplicate name. */
export const repeated = (names: string[], path: Step[]): Problem[] =>
  names.flatMap((name, index) =>
    names.indexOf(name) < index ? [problem([...path, index], `${name} appears twice`)] : [],
  )
