import { parseArgs } from 'node:util'
import { type Output, UsageError } from '@carabiner/cli'
import { memberRoles } from '@carabiner/contract'
import { addPerson, openVaultFor, organizationStore, readConfig } from '@carabiner/server/operator'
import { helpOn } from '../help.ts'
import { recordCommand } from '../operator.ts'
import { withMigrated } from '../with-database.ts'

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  name: { type: 'string' },
  organization: { type: 'string' },
  role: { type: 'string' },
  operator: { type: 'boolean' },
} as const

const SERVICE = '00000000-0000-0000-0000-000000000000'
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** `carabiner people invite EMAIL`: a link that signs a person in once, also for a lost password or second factor. */
export const runPeople = async (
  args: string[],
  environment: Record<string, string | undefined>,
): Promise<Output> => {
  const { values, positionals } = parse(args)
  const [verb, email = '', ...rest] = positionals
  if (values.help || verb === undefined) return { text: helpOn('people'), data: null }
  if (verb !== 'invite' || !EMAIL.test(email) || rest.length > 0) throw new UsageError(helpOn('people'))
  const role = memberRoles.find(known => known === (values.role ?? 'admin'))
  if (!role) throw new UsageError(`--role is one of ${memberRoles.join(', ')}.`)
  if (!values.organization && !values.operator)
    throw new UsageError(`Use --organization ID, --operator, or both.\n\n${helpOn('people')}`)
  const config = readConfig(environment)
  return withMigrated(config, async db => {
    const id = values.organization
    const organization = id && /^[0-9a-f-]{36}$/i.test(id) ? await organizationStore.find(db, id) : null
    if (id && !organization)
      throw new UsageError(`There is no organization ${id}. See \`carabiner org list\`.`)
    const vault = await openVaultFor(config, db)
    const { personId, link } = await recordCommand(
      { db, vault },
      {
        organizationId: organization?.id ?? SERVICE,
        command: 'people invite',
        action: 'person.invited',
        describe: invited => ({
          target: { type: 'person', id: invited.personId },
          changes: [
            ...(organization ? [{ field: 'role', to: role }] : []),
            ...(values.operator ? [{ field: 'is_operator', to: true }] : []),
          ],
        }),
      },
      () =>
        addPerson(
          { db, baseUrl: config.baseUrl },
          {
            email,
            name: values.name?.trim() || undefined,
            isOperator: values.operator ?? false,
            membership: organization ? { organizationId: organization.id, role } : undefined,
          },
        ),
    )
    const what = [
      ...(organization ? [`${role} of ${organization.name}`] : []),
      ...(values.operator ? ['operator of this installation'] : []),
    ].join(' and ')
    return {
      text: [
        `${email} is ${what}. This link signs in once, until ${link.expiresAt.toISOString()}:`,
        '',
        `  ${link.url.reveal()}`,
      ].join('\n'),
      data: { id: personId, email, sign_in_url: link.url.reveal(), expires_at: link.expiresAt },
    }
  })
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('people')}`)
  }
}
