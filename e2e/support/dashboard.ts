import type { Role } from '@carabiner/contract/permissions'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { addPerson } from '../../server/src/features/members/add-person.ts'
import { setPassword, signInPerson } from '../../server/test/support/person-session.ts'
import { joinTestService, type TestService } from '../../server/test/support/test-service.ts'
import { borrowVisitor, createVisitor, joinBrowser, type Visitor } from './browser.ts'
import { until } from './world.ts'

export type Test = { after(close: () => Promise<void>): void }

export type DashboardVisitor = Visitor & {
  service: TestService
  email: string
  /** Ends the sessions of the person, as an administrator can. */
  expireSession: () => Promise<void>
  /** Opens a page of the first organization. */
  open: (path: string, mode?: 'production' | 'test') => Promise<void>
  /** Opens a page for operators. */
  openInstallation: (path: string) => Promise<void>
}

export type Dashboard = {
  service: TestService
  browser: Browser
  visit: (test: Test, options?: VisitOptions) => Promise<DashboardVisitor>
  /** A one-time link for a new person without a password. */
  createSignInLink: (email: string) => Promise<string>
  stop: () => Promise<void>
}

type VisitOptions = BrowserContextOptions & {
  /** Default: `admin`. */
  role?: Role
  isSignedIn?: boolean
  /** Operators are administrators of all organizations, and members of the first one with `role`. */
  isOperator?: boolean
  /** Nothing is cached. */
  hasNewWindow?: boolean
}

/** The password of every person who visits. */
export const PASSWORD = 'a sentence to remember'

/** The service with its built dashboard, and people who use it. */
export const startDashboard = async (environment: Record<string, string> = {}): Promise<Dashboard> => {
  const [service, { browser, leave }] = await Promise.all([
    joinTestService('postgres', environment),
    joinBrowser(),
  ])
  return {
    service,
    browser,
    visit: async (test, options = {}) => {
      const { role = 'admin', isSignedIn = true, isOperator = false, hasNewWindow, ...context } = options
      const visitor =
        hasNewWindow || Object.keys(context).length > 0
          ? createVisitor(browser, test, context)
          : borrowVisitor(browser, test, service.baseUrl)
      return visit(service, await visitor, { role, isSignedIn, isOperator })
    },
    createSignInLink: async email => {
      const membership = { organizationId: service.organization.id, role: 'developer' } as const
      return (
        await addPerson(service.service.features, { email, name: 'Jun Sato', membership })
      ).link.url.reveal()
    },
    stop: async () => {
      await leave()
      await service.stop()
    },
  }
}

const visit = async (
  service: TestService,
  visitor: Visitor,
  { role, isSignedIn, isOperator }: { role: Role; isSignedIn: boolean; isOperator: boolean },
): Promise<DashboardVisitor> => {
  const person = await signInPerson(service, { role, isOperator, name: 'Mia Olsen' })
  await setPassword(service, person.id, PASSWORD)
  const [name = '', value = ''] = person.cookie.split(/=(.*)/s)
  if (isSignedIn) await visitor.context.addCookies([{ name, value, url: service.baseUrl }])
  return {
    ...visitor,
    service,
    email: person.email,
    expireSession: async () => {
      await service.query('delete from people_sessions where user_id = $1', [person.id])
    },
    ...openersOf(service, visitor.page),
  }
}

const openersOf = (
  { baseUrl, organization }: TestService,
  page: Page,
): Pick<DashboardVisitor, 'open' | 'openInstallation'> => {
  const openPath = async (path: string): Promise<void> => {
    await page.goto(`${baseUrl}/dashboard${path}`)
    // Not by its role, because a drawer or dialog of the URL hides it from assistive technology.
    await page.locator('h1').waitFor()
  }
  return {
    open: (path, mode = 'production') => openPath(`/o/${organization.id}/${mode}${path}`),
    openInstallation: path => openPath(`/operator${path}`),
  }
}

/** Waits until no skeleton is left. */
export const loaded = async (page: Page): Promise<void> => {
  await page.locator('h1').waitFor()
  await page.locator('.shimmer').first().waitFor({ state: 'detached' })
}

/** `page.waitForFunction` compiles its text in the page, which the content security policy forbids. */
export const untilTrue = (page: Page, expression: string): Promise<void> =>
  until(expression, () => page.evaluate<boolean>(`Boolean(${expression})`))
