import { existsSync } from 'node:fs'
import { type CliContext, CommandError, type FailingOutput } from '@carabiner/cli'
import { checkConnectors, SHIPPED_FOLDER, showProblem } from '@carabiner/server/connector-files'

export const checkFiles = (
  { environment }: Pick<CliContext, 'environment'>,
  given: string[],
): FailingOutput => {
  const ownFolder = environment.CONNECTORS_DIRECTORY?.trim() || undefined
  const paths = given.length > 0 ? given : [SHIPPED_FOLDER, ...(ownFolder ? [ownFolder] : [])]
  for (const path of paths)
    if (!existsSync(path)) throw new CommandError(`There is no file or folder ${path}.`)
  const { files, problems } = checkConnectors(paths)
  const broken = new Set(problems.map(({ file }) => file)).size
  const verdict =
    broken === 0
      ? `${files === 1 ? '1 connector file is' : `${files} connector files are`} valid.`
      : `${broken} of ${files} files ${broken === 1 ? 'is' : 'are'} not valid.`
  return {
    text: [...problems.map(showProblem), verdict].join('\n'),
    data: { files, valid: files - broken, problems },
    failed: broken > 0,
  }
}
