import { type PlainMcp, startPlainMcp } from '../../server/test/support/plain-mcp.ts'
import type { TestService } from '../../server/test/support/test-service.ts'
import { SIZES } from '../support/check-page.ts'
import { type DashboardVisitor, startDashboard, type Test } from '../support/dashboard.ts'
import type { DashboardState } from '../support/dashboard-state.ts'

/** The dashboard of an organization with users, a link, and a changed server to review. */
export const startDashboardStage = async () => {
  const [dashboard, server] = await Promise.all([startDashboard(), startPlainMcp()])
  await createUsers(dashboard.service)
  await prepareReview(dashboard.service, server)
  const shared = new Map<boolean, Promise<DashboardVisitor>>()
  /** One tab for all states, because a new tab would be a new browser process, which would parse every script again. */
  const visitShared = async (test: Test, isOperator: boolean): Promise<DashboardVisitor> => {
    // The context is closed with the browser.
    const visiting =
      shared.get(isOperator) ??
      dashboard.visit({ after: () => undefined }, { isOperator, viewport: SIZES.desktop })
    shared.set(isOperator, visiting)
    const visitor = await visiting
    const { page } = visitor
    await page.setViewportSize(SIZES.desktop)
    test.after(async () => {
      await page.unrouteAll()
      await page.emulateMedia({ reducedMotion: null, colorScheme: null })
      await page.evaluate('sessionStorage.clear()')
      await page.goto('about:blank')
    })
    return visitor
  }
  return {
    /** Shows a state to an administrator, an operator, or a person who has not signed in. */
    show: async (test: Test, state: DashboardState) => {
      const { isSignedIn = true, isOperator = false, needsOwnPerson = false, show } = state
      const visitor =
        isSignedIn && !needsOwnPerson
          ? await visitShared(test, isOperator)
          : await dashboard.visit(test, { isSignedIn, isOperator, viewport: SIZES.desktop })
      await show(visitor)
      return visitor.page
    },
    stop: async () => {
      await dashboard.stop()
      await server.stop()
    },
  }
}

const createUsers = async (service: TestService): Promise<void> => {
  const names = [
    'Ana Ruiz',
    'Jun Sato',
    'Mia Olsen with a name that is much longer than the others',
    'Lea Brandt',
  ]
  for (const [n, name] of names.entries())
    await service.createUser({
      origin_user_id: `customer-${n}`,
      origin_user_name: name,
      email: `user${n}@orbit.example`,
      metadata: { plan: 'business', seats: n, contact: '[REDACTED:EMAIL_ADDRESS]' },
    })
}

/** A link, and a server with a change that breaks a recorded call. */
const prepareReview = async (service: TestService, server: PlainMcp): Promise<void> => {
  const { data } = (await service.call('GET', '/api/v1/registered-users?origin_user_id=customer-3')).body
  await service.mint(data[0].id)
  await service.call('PATCH', '/api/v1/organization', { body: { capture: 'on' } })
  server.tools = [issueTool('repo')]
  await service.call('POST', '/api/v1/connectors', {
    body: { slug: 'issues', name: 'Issues', url: server.url },
  })
  const call = { name: 'issues__create_issue', arguments: { repo: 'carabiner' } }
  await service.mcp(data[0].id, 'tools/call', call)
  server.tools = [issueTool('repository')]
  await service.call('POST', '/api/v1/connectors/issues/tools/check')
}

const issueTool = (input: string) => ({
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { [input]: { type: 'string' } }, required: [input] },
})
