import { CommandError, type Output } from '@carabiner/cli'
import { activateOrganization, organizationStore, suspendOrganization } from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import type { OrganizationContext } from './org-archive.ts'

export const suspendOrg = (context: OrganizationContext, id: string): Promise<Output> =>
  changeState(context, id, {
    command: 'org suspend',
    action: 'organization.suspended',
    state: 'suspended',
    run: suspendOrganization,
    describe: name =>
      `${name} is suspended. Its API, MCP and Link requests are rejected with organization_suspended. Nothing was deleted; \`carabiner org activate\` serves it again.`,
  })

export const activateOrg = (context: OrganizationContext, id: string): Promise<Output> =>
  changeState(context, id, {
    command: 'org activate',
    action: 'organization.activated',
    state: 'active',
    run: activateOrganization,
    describe: name => `${name} is active.`,
  })

type StateChange = {
  command: string
  action: string
  state: 'active' | 'suspended'
  run: typeof suspendOrganization
  describe: (name: string) => string
}

const changeState = async (
  context: OrganizationContext,
  id: string,
  { command, action, state, run, describe }: StateChange,
): Promise<Output> => {
  const { db } = context
  const before = await organizationStore.find(db, id)
  if (!before) throw new CommandError(`There is no organization ${id}. See \`carabiner org list\`.`)
  const { name } = await recordCommand(
    context,
    {
      organizationId: before.id,
      command,
      action,
      describe: () => ({
        target: { type: 'organization', id: before.id },
        changes: [{ field: 'state', from: before.state, to: state }],
      }),
    },
    async () => {
      const changed = await run(db, before.id)
      if (changed?.state === state) return changed
      throw new CommandError(
        `The organization is in the state ${changed?.state ?? 'deleted'}, so it cannot be ${state === 'active' ? 'activated' : 'suspended'}.`,
      )
    },
  )
  return { text: describe(name), data: { id: before.id, state } }
}
