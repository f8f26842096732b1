import { runs } from '../program/cli-context.ts'
import { type RegisterCommands, topCommand } from '../program/create-program.ts'
import { jsonObject } from '../program/option-values.ts'
import type { CallOptions } from './call-operation.ts'

export const registerOperations: RegisterCommands = (program, context) => {
  topCommand(program, 'api', 'organization', 'Call any operation of the API, and print its response as JSON')
    .argument('[operation]', 'name of the operation (default: list all operations)')
    .argument('[fields...]', 'fields of the path, the query or the body, as name=value')
    .option('--body <json>', 'the body as JSON, to which fields are added', jsonObject)
    .option('--describe', 'print the fields of the operation instead of calling it')
    .examples(
      'carabiner api',
      'carabiner api createToolPack --describe',
      'carabiner api listRegisteredUsers search=ana limit=10',
      'carabiner api updateToolPack id=01890b5e-5c2a-7f3e-9d4b-2f1c0a7e8d6f result_limit=20000',
    )
    .action(
      runs(context, async (name: string | undefined, fields: string[], options: CallOptions) =>
        // The schemas take long to load.
        (await import('./call-operation.ts')).callOperation(context, name, fields, options),
      ),
    )
}
