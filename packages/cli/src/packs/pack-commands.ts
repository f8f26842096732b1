import { runs } from '../program/cli-context.ts'
import { type Confirmed, confirmedOption } from '../program/confirm.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice, integerFrom, limitOption, list } from '../program/option-values.ts'
import {
  createPack,
  deletePack,
  listPacks,
  listPackTools,
  type PackFields,
  showPack,
  updatePack,
} from './manage-packs.ts'

const PACK = 'ID or name of a Tool Pack'

// Commander replaces a null by an empty string.
const limitOrNone = (value: string): number | 'none' =>
  value === 'none' ? value : integerFrom(0, 1_000_000_000)(value)

export const registerPacks: RegisterCommands = (program, context) => {
  const packs = nounCommand(
    program,
    'packs',
    'everyday',
    'Tool Packs: the connectors and tools that agents get',
  )
  packs
    .command('list')
    .description('List Tool Packs')
    .addOption(limitOption())
    .examples('carabiner packs list')
    .action(runs(context, (options: { limit: number }) => listPacks(context, options)))
  packs
    .command('show')
    .description('Show a Tool Pack')
    .argument('<pack>', PACK)
    .examples('carabiner packs show Default')
    .action(runs(context, (pack: string) => showPack(context, pack)))
  packs
    .command('tools')
    .description('List the tools of a Tool Pack as a model sees them')
    .argument('[pack]', `${PACK} (default: the default Tool Pack)`)
    .addOption(limitOption(1000))
    .examples('carabiner packs tools Support --json')
    .action(
      runs(context, (pack: string | undefined, options: { limit: number }) =>
        listPackTools(context, pack, options),
      ),
    )
  const withFields = (name: 'create' | 'update', description: string) =>
    packs
      .command(name)
      .description(description)
      .argument(name === 'create' ? '<name>' : '<pack>', name === 'create' ? 'name of the Tool Pack' : PACK)
      .option('--description <text>', 'a note for people')
      .option('--connectors <slugs>', 'only these connectors, with all of their tools', list)
      .option('--tools <names>', 'only these tools, such as github__list_issues,slack__post_message', list)
      .option('--all-connectors', 'all connectors (default for a new Tool Pack)')
      .option('--default', 'make it the default Tool Pack')
      .option('--result-limit <n>', 'maximum length of a result', integerFrom(1000, 1_000_000))
      .option('--daily-call-limit <n>', 'successful calls per day (UTC), or none', limitOrNone)
      .addOption(choice('--serving <way>', 'how the tools are listed', ['list', 'search', 'reveal']))
      .option('--favorites <names>', 'tools that are listed even if the pack is served as search', list)
      .option('--file <path>', 'further settings as JSON, as in the API; - reads standard input')
  withFields('create', 'Create a Tool Pack; needs the production key')
    .examples('carabiner packs create Support --connectors github,slack')
    .action(runs(context, (name: string, options: PackFields) => createPack(context, name, options)))
  withFields('update', 'Change a Tool Pack; needs the production key')
    .option('--name <name>', 'rename it')
    .examples('carabiner packs update Support --tools github__list_issues')
    .action(runs(context, (pack: string, options: PackFields) => updatePack(context, pack, options)))
  packs
    .command('delete')
    .description('Delete a Tool Pack; needs the production key')
    .argument('<pack>', PACK)
    .addOption(confirmedOption())
    .examples('carabiner packs delete Support --yes')
    .action(runs(context, (pack: string, options: Confirmed) => deletePack(context, pack, options)))
}
