import { createBrowserUser, linkNotes } from '../../server/test/support/browser-user.ts'
import type { TestService } from '../../server/test/support/test-service.ts'
import { loaded } from './dashboard.ts'
import type { DashboardState } from './dashboard-state.ts'

/** A user with two accounts, one of which is shared. Later states use the same user. */
const createOwner = async (service: TestService): Promise<string> => {
  const owner = await service.createUser({ origin_user_id: 'owner', origin_user_name: 'Noa Levi' })
  const path = `/api/v1/registered-users/${owner.id}/credentials`
  const { data } = (await service.call('GET', path)).body
  if (data.length > 0) return owner.id
  for (const [account, label] of [
    ['ana', 'Work'],
    ['ben', 'Private'],
  ] as const) {
    const body = { connector_slug: 'sandbox-notes', account: 'add', account_label: label } as const
    await linkNotes(createBrowserUser(), (await service.mint(owner.id, body)).magic_link_url, { account })
  }
  const [first] = (await service.call('GET', path)).body.data
  const others = (await service.call('GET', '/api/v1/registered-users?limit=3')).body.data
  await service.call('PUT', `${path}/${first.credential_id}/access`, {
    body: {
      registered_user_ids: others.map(({ id }: { id: string }) => id).filter((id: string) => id !== owner.id),
      tool_pack_ids: [service.organization.toolPackId],
    },
  })
  return owner.id
}

const linkOrganizationAccount = async (service: TestService): Promise<void> => {
  const { body } = await service.call('POST', '/api/v1/organization-accounts/link-token', {
    body: { connector_slug: 'sandbox-notes', account_label: 'Support' },
  })
  await linkNotes(createBrowserUser(), body.magic_link_url)
}

export const ACCOUNT_STATES: readonly DashboardState[] = [
  {
    name: 'user-accounts',
    show: async ({ open, page, service }) => {
      await open(`/users?user=${await createOwner(service)}`)
      await page.getByText('Shared with').waitFor()
      await loaded(page)
    },
  },
  {
    name: 'account-rename',
    show: async ({ open, page, service }) => {
      await open(`/users?user=${await createOwner(service)}`)
      await page.getByRole('button', { name: 'Rename Notes (Work)' }).click()
      await page.getByLabel('Label').fill('Private')
      await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'account-access',
    show: async ({ open, page, service }) => {
      await open(`/users?user=${await createOwner(service)}`)
      await page.getByText('Shared with').waitFor()
      const row = page.getByRole('list', { name: 'Connected accounts' }).getByRole('listitem')
      await row
        .filter({ hasText: 'Shared with' })
        .getByRole('button', { name: /^Access/ })
        .click()
      await page.getByRole('list', { name: 'Users with access' }).getByText('Ana Ruiz').waitFor()
      await page.getByRole('group', { name: 'Tool Packs with access' }).waitFor()
    },
  },
  {
    name: 'organization-accounts-empty',
    show: async ({ open, page }) => (await open('/organization-accounts'), loaded(page)),
  },
  {
    name: 'organization-accounts-link',
    show: async ({ open, page }) => {
      await open('/organization-accounts')
      await page.getByRole('button', { name: 'Link account' }).click()
      await page.getByLabel('Label (optional)').waitFor()
    },
  },
  {
    name: 'organization-accounts',
    show: async ({ open, page, service }) => {
      await linkOrganizationAccount(service)
      await open('/organization-accounts')
      await page.getByText('Support', { exact: true }).waitFor()
    },
  },
]
