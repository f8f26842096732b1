import { readFileSync } from 'node:fs'
import { runs } from '../program/cli-context.ts'
import { nounCommand, type RegisterCommands } from '../program/create-program.ts'
import { choice } from '../program/option-values.ts'
import { type SetOptions, setRules, showRules, type TestOptions, testRules } from './manage-rules.ts'

export const registerRules: RegisterCommands = (program, context) => {
  const rules = nounCommand(
    program,
    'rules',
    'organization',
    'Security rules: what is blocked or redacted in tool calls',
  )
  rules
    .command('show')
    .description('Show the rules that apply')
    .option('--pack <pack>', 'rules of a Tool Pack (default: of the organization)')
    .examples('carabiner rules show', 'carabiner rules show --pack Support --json')
    .action(runs(context, (options: { pack?: string }) => showRules(context, options)))
  rules
    .command('test')
    .description('Test the rules on a text, which is not stored. Exit code 3: it would be blocked')
    .argument('[text]', 'the text (default: standard input)')
    .addOption(
      choice('--direction <direction>', 'results to the agent, or arguments to the provider', [
        'outbound',
        'inbound',
      ]).default('outbound'),
    )
    .option('--pack <pack>', 'rules of a Tool Pack (default: of the organization)')
    .option('--rules <path>', 'test these rules instead of the saved ones; a JSON file')
    .examples(
      'carabiner rules test "My card is 4111 1111 1111 1111"',
      'carabiner rules test --direction inbound < arguments.txt',
    )
    .action(
      runs(context, (text: string | undefined, options: TestOptions) =>
        testRules(context, text ?? readFileSync(0, 'utf8'), options),
      ),
    )
  rules
    .command('set')
    .description('Change the rules with a JSON file, as in the API; needs the production key')
    .argument('[file]', 'path of the file; - reads standard input')
    .option('--replace', 'settings that the file omits return to their default')
    .option('--pack <pack>', 'rules of a Tool Pack; they are always replaced')
    .option('--remove', 'with --pack: use the organization’s rules again')
    .examples('carabiner rules set rules.json', 'carabiner rules set --pack Support --remove')
    .action(
      runs(context, (file: string | undefined, options: SetOptions) => setRules(context, file, options)),
    )
}
