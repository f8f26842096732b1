import {
  CreatedOrganization,
  InstalledOrganization,
  InstalledOrganizationQuery,
  InstalledOrganizations,
  ManagedOrganization,
  OrganizationCreate,
  PlanChange,
} from '@carabiner/contract'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { senderOf } from '../../edge/audit.ts'
import type { Cells } from '../../platform/cells.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { createOrganization } from '../organizations/create-organization.ts'
import { activate, changePlan, findOrganization, suspend } from '../organizations/manage-organization.ts'
import { type InstalledRow, installationStore } from './installation-store.ts'
import { toManaged } from './managed-organization.ts'

const OrganizationPath = Type.Object({ id: Type.String() })
const values = ['name', 'plan', 'call_limit', 'state'] as const

type Deps = { db: Database; vault: Vault; cells: Cells | null }

/** Organizations of the installation, for operators. */
export const installedOrganizationRoutes = (api: Api, { db, vault, cells }: Deps): void => {
  const before = async ({ params }: FastifyRequest) =>
    toManaged(await findOrganization(db, (params as { id: string }).id))

  api.get(
    '/organizations',
    { schema: { querystring: InstalledOrganizationQuery, response: { 200: InstalledOrganizations } } },
    async ({ query }) => {
      const { limit, after } = parsePage(query)
      const rows = await installationStore.organizations(db, {
        after,
        limit: limit + 1,
        search: query.search?.trim() || null,
        state: query.state ?? null,
      })
      const page = toPage(rows, limit)
      return { ...page, data: page.data.map(toInstalled) }
    },
  )

  api.get(
    '/organizations/:id',
    { schema: { params: OrganizationPath, response: { 200: InstalledOrganization } } },
    async ({ params: { id } }) => {
      const row = isUuid(id) ? await installationStore.organization(db, id) : null
      if (!row) throw new Refusal('organization_not_found')
      return toInstalled(row)
    },
  )

  api.post(
    '/organizations',
    {
      config: {
        audit: { action: 'organization.created', target: 'response.id', values },
      },
      schema: { body: OrganizationCreate, response: { 201: CreatedOrganization } },
    },
    async (request, reply) => {
      const { name, plan, call_limit: callLimit = null } = request.body
      const created = await createOrganization({ db, vault }, name.trim(), {
        author: { actor: request.principal.actor, sender: senderOf(request), requestId: request.id },
        plan,
        callLimit,
        ...(cells && { isCodeTaken: code => cells.cellOf(code) !== null }),
      })
      return reply.code(201).send({
        ...toManaged(created.organization),
        production_key: created.productionKey.reveal(),
        test_key: created.testKey.reveal(),
      })
    },
  )

  api.patch(
    '/organizations/:id',
    {
      config: {
        ofOrganization: true,
        audit: { action: 'organization.plan_set', target: 'params.id', values, before },
      },
      schema: { params: OrganizationPath, body: PlanChange, response: { 200: ManagedOrganization } },
    },
    async ({ params, body }) =>
      toManaged(await changePlan(db, params.id, { plan: body.plan, callLimit: body.call_limit })),
  )

  for (const [verb, action, change] of [
    ['suspend', 'organization.suspended', suspend],
    ['activate', 'organization.activated', activate],
  ] as const)
    api.post(
      `/organizations/:id/${verb}`,
      {
        config: { ofOrganization: true, audit: { action, target: 'params.id', values, before } },
        schema: { params: OrganizationPath, response: { 200: ManagedOrganization } },
      },
      async ({ params }) => toManaged(await change(db, params.id)),
    )
}

const toInstalled = (row: InstalledRow): InstalledOrganization => ({
  ...toManaged(row),
  cycle_limit: row.cycleLimit,
  cycle_calls: row.cycleCalls,
  members: row.members,
  registered_users: row.registeredUsers,
})
