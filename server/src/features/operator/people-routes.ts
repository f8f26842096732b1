import { InstalledPeople, InstalledPerson, InstalledPersonQuery, OperatorChange } from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../core/cursor.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import { findPerson, listPeople, setOperator, signOutEverywhere } from '../members/manage-people.ts'
import type { StoredPerson } from '../members/people-store.ts'

const PersonPath = Type.Object({ id: Type.String() })

/** People of the installation, for operators. */
export const installedPeopleRoutes = (api: Api, { db }: { db: Database }): void => {
  api.get(
    '/people',
    { schema: { querystring: InstalledPersonQuery, response: { 200: InstalledPeople } } },
    async ({ query }) => {
      const page = parsePage(query)
      const rows = await listPeople(db, { ...page, search: query.search?.trim() || null })
      const { data, next_cursor } = toPage(rows, page.limit)
      return { data: data.map(toInstalledPerson), next_cursor }
    },
  )

  api.patch(
    '/people/:id',
    {
      config: {
        recentSignIn: true,
        audit: {
          action: 'person.updated',
          target: 'params.id',
          values: ['is_operator'],
          before: async ({ params }) =>
            toInstalledPerson(await findPerson(db, (params as { id: string }).id)),
        },
      },
      schema: { params: PersonPath, body: OperatorChange, response: { 200: InstalledPerson } },
    },
    async ({ params, body }) => toInstalledPerson(await setOperator(db, params.id, body.is_operator)),
  )

  api.post(
    '/people/:id/sign-out',
    {
      config: { audit: { action: 'person.signed_out', target: 'params.id' } },
      schema: { params: PersonPath, response: { 200: InstalledPerson } },
    },
    async ({ params }) => toInstalledPerson(await signOutEverywhere(db, params.id)),
  )
}

const toInstalledPerson = (person: StoredPerson): InstalledPerson => ({
  id: person.id,
  name: person.name,
  email: person.email,
  is_operator: person.isOperator,
  has_second_factor: person.hasSecondFactor,
  organizations: person.organizations,
  sessions: person.sessions,
  last_seen_at: person.lastSeenAt?.toISOString() ?? null,
  created_at: person.createdAt.toISOString(),
})
