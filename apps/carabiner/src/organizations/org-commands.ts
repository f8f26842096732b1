import {
  type CliContext,
  choice,
  type FailingOutput,
  integerFrom,
  nounCommand,
  type RegisterCommands,
  runs,
  uuid,
} from '@carabiner/cli'
import { MAX_CALL_LIMIT, type Plan, plans } from '@carabiner/contract/plans'
import type { ServiceContext } from '../database/with-database.ts'
import type { ExportOptions, ImportOptions } from './org-archive.ts'
import type { DeleteOptions } from './org-delete.ts'
import type { MoveOptions } from './org-move.ts'

const ID = 'ID of the organization'

type Work<Args extends unknown[]> = (context: ServiceContext, ...args: Args) => Promise<FailingOutput>

/** The modules that use the database are loaded by the command that runs only, because they are large. */
const onService =
  <Args extends unknown[]>(context: CliContext, load: () => Promise<Work<Args>>) =>
  async (...args: Args): Promise<FailingOutput> => {
    const [{ withService }, work] = await Promise.all([import('../database/with-database.ts'), load()])
    return withService(context, service => work(service, ...args))
  }

export const registerOrg: RegisterCommands = (program, context) => {
  const org = nounCommand(program, 'org', 'operators', 'Organizations of this installation')
  org
    .command('create')
    .description('Create an organization; its production and test key are printed once')
    .argument('<name>', 'name of the organization')
    .examples('carabiner org create "Orbit"')
    .action(
      runs(
        context,
        onService(context, async () => (await import('./manage-organizations.ts')).createOrg),
      ),
    )
  org
    .command('list')
    .description('List organizations')
    .examples('carabiner org list')
    .action(
      runs(
        context,
        onService(context, async () => (await import('./manage-organizations.ts')).listOrgs),
      ),
    )
  org
    .command('plan')
    .description('Set the plan of an organization')
    .argument('<id>', ID, uuid)
    .addArgument(org.createArgument('<plan>', 'the plan').choices(plans))
    .option(
      '--calls <n>',
      'this number of calls per cycle instead of the plan’s own',
      integerFrom(0, MAX_CALL_LIMIT),
    )
    .examples('carabiner org plan 0190a5c1-7b1e-7f00-8000-00000000c0de business --calls 250000')
    .action(
      runs(context, (id: string, plan: Plan, options: { calls?: number }) =>
        onService(context, async () => (await import('./manage-organizations.ts')).setPlan)(
          id,
          plan,
          options,
        ),
      ),
    )
  const one = (name: string, description: string) =>
    org
      .command(name)
      .description(description)
      .argument('<id>', ID, uuid)
      .examples(`carabiner org ${name} 0190a5c1-7b1e-7f00-8000-00000000c0de`)
  one('suspend', 'Reject all requests of an organization; nothing is deleted').action(
    runs(context, (id: string) =>
      onService(context, async () => (await import('./org-suspend.ts')).suspendOrg)(id),
    ),
  )
  one('activate', 'Serve a suspended organization again').action(
    runs(context, (id: string) =>
      onService(context, async () => (await import('./org-suspend.ts')).activateOrg)(id),
    ),
  )
  one(
    'regenerate-key',
    'Replace the oldest unrestricted production key without an expiry; the new one is printed once, and the old one stops working immediately',
  ).action(
    runs(context, (id: string) =>
      onService(context, async () => (await import('./manage-organizations.ts')).regenerateKey)(id),
    ),
  )
  registerArchives(program, context)
  registerMove(program, context)
}

const registerArchives: RegisterCommands = (program, context) => {
  const org = nounCommand(program, 'org', 'operators', '')
  org
    .command('public-key')
    .description(
      'Print this installation’s public key. Archives for it are encrypted with the key, and its own archives are verified with it',
    )
    .examples('carabiner org public-key')
    .action(
      runs(
        context,
        onService(context, async () => (await import('./org-archive.ts')).showPublicKey),
      ),
    )
  org
    .command('export')
    .description(
      'Write an organization with all of its data to an archive that one other installation can read',
    )
    .argument('<id>', ID, uuid)
    .requiredOption('--to <file>', 'the archive to write')
    .requiredOption(
      '--for <public-key>',
      'the installation that can read the archive, as "carabiner org public-key" prints it there',
    )
    .option('--with-broken-audit-trail', 'export the organization even if its audit trail is not intact')
    .examples(
      'carabiner org export 0190a5c1-7b1e-7f00-8000-00000000c0de --to acme.archive --for carabiner-installation-v1:…',
    )
    .action(
      runs(context, (id: string, options: ExportOptions) =>
        onService(context, async () => {
          const { exportOrg } = await import('./org-archive.ts')
          return (service: ServiceContext) => exportOrg(service, id, options, context.report)
        })(),
      ),
    )
  org
    .command('import')
    .description('Create an organization from an archive; continues an interrupted import')
    .argument('<file>', 'the archive')
    .option(
      '--from <public-key>',
      'the installation that wrote the archive, as "carabiner org public-key" prints it there (default: this one)',
    )
    .option(
      '--from-unknown-installation',
      'import it although its source cannot be verified; its audit trail stays marked as not verified',
    )
    .examples('carabiner org import acme.archive --from carabiner-installation-v1:…')
    .action(
      runs(context, (file: string, options: ImportOptions) =>
        onService(context, async () => {
          const { importOrg } = await import('./org-archive.ts')
          return (service: ServiceContext) => importOrg(service, file, options, context.report)
        })(),
      ),
    )
  org
    .command('delete')
    .description('Delete an organization with all of its data; continues an interrupted deletion')
    .argument('<id>', ID, uuid)
    .option('--confirm <name>', 'name of the organization, as a confirmation')
    .option('--revoke', 'revoke its users’ tokens at their providers first; the service must be running')
    .examples('carabiner org delete 0190a5c1-7b1e-7f00-8000-00000000c0de --confirm "Acme"')
    .action(
      runs(context, (id: string, options: DeleteOptions) =>
        onService(context, async () => {
          const { deleteOrg } = await import('./org-delete.ts')
          return (service: ServiceContext) => deleteOrg(service, id, options, context.report)
        })(),
      ),
    )
}

const registerMove: RegisterCommands = (program, context) => {
  nounCommand(program, 'org', 'operators', '')
    .command('move')
    .description(
      'Move an organization to another cell while it is in use. Its requests get a 503 response while the rest of its data is copied. An interrupted move continues when the command is run again',
    )
    .summary('move an organization to another cell while it is in use')
    .argument('<id>', ID, uuid)
    .requiredOption('--to <cell>', 'name of the target')
    .requiredOption('--cells <path>', 'list of cells, as for "carabiner cells"')
    .option('--map <path>', 'map of routing codes to replace')
    .addOption(choice('--format <name>', 'format of the map', ['haproxy', 'nginx']).default('haproxy'))
    .option(
      '--reload <command>',
      'runs after the map was replaced, to distribute it and to reload the load balancer',
    )
    .option('--abort', 'give up an interrupted move: the source serves the organization again')
    .examples(
      'carabiner org move 0190a5c1-7b1e-7f00-8000-00000000c0de --to b --cells cells.json --map cells.map --reload ./distribute.sh',
    )
    .action(
      runs(context, async (id: string, options: MoveOptions) => {
        const { moveOrg } = await import('./org-move.ts')
        return moveOrg(context, id, options)
      }),
    )
}
