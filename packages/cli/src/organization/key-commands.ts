import { keyGroups } from '@carabiner/contract/key-groups'
import { runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, integerFrom, list } from '../program/option-values.ts'
import { createKey, endKey, type KeyOptions, listKeys, revokeKey } from './manage-keys.ts'
import { regenerateKey, rollKey } from './replace-key.ts'

const EXAMPLE_ID = '0190a5c1-7b1e-7f00-8000-00000000c0de'

export const registerKeys: RegisterCommands = (program, context) => {
  const keys = nounCommand(
    program,
    'keys',
    'organization',
    'API keys of the organization; need an unrestricted production key',
  )
  keys
    .command('list')
    .description('List API keys, without the keys themselves')
    .examples('carabiner keys list')
    .action(runs(context, () => listKeys(context)))
  keys
    .command('create')
    .description('Create an API key; printed once')
    .option('--name <name>', 'name of the key')
    .addOption(choice('--mode <mode>', 'data that the key uses', ['test', 'production']).default('test'))
    .option('--groups <groups>', `restrict the key to groups: ${keyGroups.slice(0, 4).join(', ')}`, list)
    .option('--days <n>', 'days until it expires (default: never)', integerFrom(1, 3650))
    .examples(
      'carabiner keys create --name "Continuous integration"',
      'carabiner keys create --mode production --name Dashboards --groups read --days 90',
    )
    .action(runs(context, (options: KeyOptions) => createKey(context, options)))
  keys
    .command('roll')
    .description('Replace a key; the new one is printed once, and the old one works until the overlap ends')
    .argument('[id]', 'ID of the key (default: the only production key)')
    .option(
      '--overlap <minutes>',
      'minutes that the old key still works, at most 1440',
      integerFrom(0, 1440),
      60,
    )
    .examples(`carabiner keys roll ${EXAMPLE_ID} --overlap 720`)
    .action(
      runs(context, (id: string | undefined, options: { overlap: number }) => rollKey(context, id, options)),
    )
  keys
    .command('end')
    .description('End the overlap of a rolled key; it stops working immediately')
    .argument('<id>', 'ID of the old key')
    .addOption(confirmedOption())
    .examples(`carabiner keys end ${EXAMPLE_ID} --yes`)
    .action(runs(context, (id: string, options: Confirmed) => endKey(context, id, options)))
  keys
    .command('regenerate')
    .description('Replace a key; the new one is printed once, and the old one stops working immediately')
    .argument('[id]', 'ID of the key (default: the only production key)')
    .addOption(confirmedOption())
    .examples('carabiner keys regenerate --yes')
    .action(
      runs(context, (id: string | undefined, options: Confirmed) => regenerateKey(context, id, options)),
    )
  keys
    .command('revoke')
    .description('Revoke a key; it stops working immediately')
    .argument('<id>', 'ID of the key')
    .addOption(confirmedOption())
    .examples(`carabiner keys revoke ${EXAMPLE_ID} --yes`)
    .action(runs(context, (id: string, options: Confirmed) => revokeKey(context, id, options)))
}
