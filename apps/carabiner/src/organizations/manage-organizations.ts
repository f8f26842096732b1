import { CommandError, type Output } from '@carabiner/cli'
import type { Plan } from '@carabiner/contract'
import {
  createLog,
  createOrganization,
  openCells,
  organizationStore,
  regenerateProductionKey,
} from '@carabiner/server/operator'
import { operator, recordCommand } from '../database/record-command.ts'
import type { ServiceContext } from '../database/with-database.ts'

export const createOrg = async (context: ServiceContext, name: string): Promise<Output> => {
  const { cell } = context.config
  const cells = cell && openCells(cell, { log: createLog('silent') })
  const { organization, productionKey, testKey } = await createOrganization(context, name.trim(), {
    author: operator('org create'),
    ...(cells && { isCodeTaken: code => cells.cellOf(code) !== null }),
  })
  return {
    text: [
      `Organization     ${organization.name}  ${organization.id}`,
      `Production key   ${productionKey.reveal()}`,
      `Test key         ${testKey.reveal()}`,
      '',
      'The keys are shown only once; only their hashes are stored.',
    ].join('\n'),
    data: {
      id: organization.id,
      name: organization.name,
      production_key: productionKey.reveal(),
      test_key: testKey.reveal(),
    },
  }
}

export const listOrgs = async ({ db }: ServiceContext): Promise<Output> => {
  const rows = await organizationStore.list(db)
  return {
    text:
      rows
        .map(
          ({ id, plan, name, state }) =>
            `${id}  ${plan.padEnd(10)}  ${name}${state === 'active' ? '' : `  (${state})`}`,
        )
        .join('\n') || 'There are no organizations yet.',
    data: rows.map(({ id, name, plan, state }) => ({ id, name, plan, state })),
  }
}

export const setPlan = async (
  context: ServiceContext,
  id: string,
  plan: Plan,
  { calls: callLimit = null }: { calls?: number | null },
): Promise<Output> => {
  const { db } = context
  const organization = await requireOrganization(id, () => organizationStore.find(db, id))
  const updated = await recordCommand(
    context,
    {
      organizationId: organization.id,
      command: 'org plan',
      action: 'organization.plan_set',
      describe: () => ({
        target: { type: 'organization', id: organization.id },
        changes: [
          { field: 'plan', from: organization.plan, to: plan },
          ...(organization.callLimit === callLimit
            ? []
            : [{ field: 'call_limit', from: organization.callLimit, to: callLimit }]),
        ],
      }),
    },
    () => requireOrganization(id, () => organizationStore.setPlan(db, id, plan, callLimit)),
  )
  const limit = updated.callLimit
  return {
    text: `${updated.name} is on the plan ${updated.plan}${limit === null ? '' : `, with ${limit} calls per cycle`}.`,
    data: { id, plan: updated.plan, call_limit: limit },
  }
}

export const regenerateKey = async (context: ServiceContext, id: string): Promise<Output> => {
  const organization = await requireOrganization(id, () => organizationStore.find(context.db, id))
  const { key } = await recordCommand(
    context,
    {
      organizationId: organization.id,
      command: 'org regenerate-key',
      action: 'api_key.regenerated',
      describe: ({ stored }) => ({
        target: { type: 'api_key', id: stored.id },
        changes: [{ field: 'hint', to: stored.hint }],
      }),
    },
    () => regenerateProductionKey(context.db, id, operator('org regenerate-key').actor),
  )
  return {
    text: `Production key   ${key.reveal()}\n\nShown only once. The previous key no longer works.`,
    data: { id, production_key: key.reveal() },
  }
}

const requireOrganization = async <Row>(id: string, read: () => Promise<Row | null>): Promise<Row> => {
  const row = await read()
  if (!row) throw new CommandError(`There is no organization ${id}. See \`carabiner org list\`.`)
  return row
}
