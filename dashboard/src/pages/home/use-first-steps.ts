import type { RegisteredUser, ToolPack } from '@carabiner/sdk'
import { type ApiQuery, useApiQuery } from '../../api/use-api-query.ts'

export type FirstStepsState = {
  pack: ToolPack | null
  /** A user to continue with: one who has connected an account, if there is one. */
  user: RegisteredUser | null
  isLinked: boolean
  storesPayloads: boolean
  hasCalled: boolean
}

const REFRESH_MS = 4_000
/** Starts the request IDs of the history that the demo organization has from its first start. */
const DEMO_REQUEST = 'req_demo'
/** Your own IDs of the users whose accounts the demo organization has from its first start. */
const DEMO_USER = /^demo-\d+$/

/** What exists already. */
export const FIRST_STEPS: ApiQuery<FirstStepsState> = {
  key: ['first-steps'],
  load: async (api, options) => {
    const [packs, users, calls, linked, { capture }] = await Promise.all([
      api.toolPacks.list({ limit: 100 }, options).page(),
      api.registeredUsers.list({ limit: 100 }, options).page(),
      api.toolCalls.list({ outcome: 'success', limit: 1 }, options).page(),
      api.events.list({ type: 'credential.created', limit: 1 }, options).page(),
      api.organization.get(options),
    ])
    const own = users.data.filter(user => !DEMO_USER.test(user.origin_user_id))
    const connected = own.find(user => user.linked_connectors.length > 0)
    const hasCalled = calls.data.some(call => !call.request_id.startsWith(DEMO_REQUEST))
    return {
      pack: packs.data.find(pack => pack.is_default) ?? packs.data[0] ?? null,
      user: connected ?? own[0] ?? null,
      isLinked: connected !== undefined || linked.data.length > 0 || hasCalled,
      storesPayloads: capture === 'on',
      hasCalled,
    }
  },
}

/** It is read again while steps are left, because they are also done outside of the dashboard. */
export const useFirstSteps = (isShown: boolean) =>
  useApiQuery(FIRST_STEPS.key, FIRST_STEPS.load, {
    enabled: isShown,
    refetchInterval: ({ state }) => (state.data && isComplete(state.data) ? false : REFRESH_MS),
  })

export const isComplete = ({ pack, user, isLinked, hasCalled }: FirstStepsState): boolean =>
  pack !== null && user !== null && isLinked && hasCalled
