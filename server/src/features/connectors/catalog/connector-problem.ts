/** A mistake in a connector file: where it stands, as steps from the top, and what is wrong. */
export type Problem = { path: Step[]; reason: string }
export type Step = string | number

/** The same for a person: a file, a line and a column to open an editor at. */
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

const SHOWN = 40

/** Files that cannot be used. The service does not start with some of its connectors missing. */
export class CatalogueError extends Error {
  readonly problems: LocatedProblem[]

  constructor(problems: LocatedProblem[]) {
    const files = new Set(problems.map(({ file }) => file)).size
    const shown = problems.slice(0, SHOWN).map(found => `  ${showProblem(found)}`)
    const rest = problems.length - shown.length
    super(
      [
        `${files === 1 ? 'A connector file is' : `${files} connector files are`} not valid:`,
        ...shown,
        ...(rest > 0 ? [`  … and ${rest} more. \`carabiner connectors check\` lists them all.`] : []),
      ].join('\n'),
    )
    this.name = 'CatalogueError'
    this.problems = problems
  }
}

/** A problem for every name that is there more than once. */
export const repeated = (names: string[], path: Step[]): Problem[] =>
  names.flatMap((name, index) =>
    names.indexOf(name) < index ? [problem([...path, index], `${name} appears twice`)] : [],
  )
