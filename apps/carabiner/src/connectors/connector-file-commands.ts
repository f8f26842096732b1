import { collect, integerFrom, nounCommand, type RegisterCommands, runs } from '@carabiner/cli'
import type { ImportOptions } from './import-connector.ts'

const MAX_TOOLS = 60

/** Connector files, without the database or the vault key. */
export const registerConnectorFiles: RegisterCommands = (program, context) => {
  const connectors = nounCommand(program, 'connectors', 'everyday', '')
  connectors
    .command('check')
    .description('Validate connector files. Exit code 1: some are not valid')
    .argument('[paths...]', 'files and folders (default: the shipped ones and CONNECTORS_DIRECTORY)')
    .examples('carabiner connectors check', 'carabiner connectors check my-folder one.json')
    .action(
      runs(context, async (paths: string[]) =>
        (await import('./check-connectors.ts')).checkFiles(context, paths),
      ),
    )
  connectors
    .command('import')
    .description('Create a connector file from an OpenAPI 3.0 or 3.1 document')
    .argument('<document>', 'path of the document, YAML or JSON')
    .option('--out <folder>', 'output folder (default: CONNECTORS_DIRECTORY)')
    .option('--slug <slug>', 'slug of the connector (default: from the title)')
    .option('--name <name>', 'name of the connector (default: the title)')
    .option(
      '--include <pattern>',
      "only operations whose path, ID or tag matches, such as '/pets*'; may be repeated",
      collect,
    )
    .option('--max <n>', 'maximum number of tools', integerFrom(1, MAX_TOOLS), MAX_TOOLS)
    .option('--server <url>', 'base URL, if the document does not contain it')
    .option('--identity <path>', 'path of the GET request that identifies the account, such as /me')
    .option(
      '--auth <how>',
      "how the key is sent, if the document does not say: bearer, basic, header:NAME, or header:NAME=TEMPLATE, such as 'header:Authorization=Token {api_key}'",
    )
    .option('--force', 'overwrite an existing file')
    .examples("carabiner connectors import openapi.yaml --out my-folder --include '/orders*'")
    .action(
      runs(context, async (document: string, options: ImportOptions) =>
        (await import('./import-connector.ts')).importConnector(context, document, options),
      ),
    )
}
