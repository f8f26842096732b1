import { setTimeout as delay } from 'node:timers/promises'
import { createBrowserUser, linkNotes } from '../browser-user.ts'
import { NOTES } from '../notes-fleet.ts'
import type { RotationStage } from './stage.ts'

export type Kind = 'call' | 'refresh' | 'link' | 'confirm' | 'replay' | 'deactivate' | 'delete'

export type Traffic = {
  done: Record<Kind, number>
  /** The first few unexpected responses. */
  failures: string[]
  stop(): Promise<void>
}

const CALLBACK = 'https://app.example.com/cb'
const CALLERS = 4
const REFRESHERS = 2

/** Runs every operation that reads, seals or moves a credential, continuously until stopped. */
export const startTraffic = async (stage: RotationStage): Promise<Traffic> => {
  await stage.query(
    'insert into callback_origins (organization_id, origin) values ($1, $2) on conflict do nothing',
    [stage.organizationId, new URL(CALLBACK).origin],
  )
  const done: Traffic['done'] = {
    call: 0,
    refresh: 0,
    link: 0,
    confirm: 0,
    replay: 0,
    deactivate: 0,
    delete: 0,
  }
  const failures: string[] = []
  const stopping = new AbortController()
  let users = 0

  const expect = (kind: Kind, ok: boolean, text: () => string): void => {
    if (ok) done[kind]++
    else if (failures.length < 20) failures.push(`${kind}: ${text()}`)
  }
  const loop = async (work: () => Promise<void>): Promise<void> => {
    while (!stopping.signal.aborted) await work().catch(error => expect('call', false, () => String(error)))
  }
  const call = async (kind: Kind, userId: string): Promise<void> => {
    const { ok, text } = await stage.callNotes(userId)
    expect(kind, ok, () => text)
  }

  // Calls are made for the first half of the seeded users; the other half is deactivated or deleted one by one.
  const callable = stage.seeded.slice(0, Math.ceil(stage.seeded.length / 2))
  const removable = stage.seeded.slice(callable.length)
  const callRandomUser = () => call('call', callable[Math.floor(Math.random() * callable.length)] as string)

  const refreshUser = (part: number) => async () => {
    for (const userId of stage.linked.filter((_, n) => n % REFRESHERS === part)) {
      await stage.query(
        'update credentials set access_expires_at = app_now() where registered_user_id = $1',
        [userId],
      )
      // Concurrent calls: one refreshes, the others wait for its result.
      await Promise.all([call('refresh', userId), call('refresh', userId), call('refresh', userId)])
    }
  }

  const newUser = async (): Promise<string> => {
    const create = () =>
      fetch(`${stage.baseUrl}/api/v1/registered-users`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${stage.fleet.key}`,
          'content-type': 'application/json',
          'idempotency-key': `traffic-${users}`,
        },
        body: JSON.stringify({ origin_user_id: `traffic-${users}` }),
      }).then(answer => answer.json() as Promise<{ id: string }>)
    users++
    const first = await create()
    const again = await create()
    expect('replay', first.id === again.id, () => JSON.stringify(again))
    return first.id
  }
  const linkNewUser = async (): Promise<void> => {
    const userId = await newUser()
    // Linked twice, so that the second credential replaces the first.
    for (const kind of ['link', 'confirm'] as const) {
      const minted = await stage.api(`/registered-users/${userId}/link-token`, {
        Connector: NOTES,
        ...(kind === 'confirm' && { callback_url: CALLBACK, state: 's' }),
      })
      const browser = createBrowserUser()
      await linkNotes(browser, minted.body.magic_link_url)
      if (kind === 'confirm') {
        const code = new URL(browser.lastLocation as string).searchParams.get('code')
        const confirmed = await stage.api('/link-token/confirm', { code })
        expect('confirm', confirmed.status === 200, () => JSON.stringify(confirmed.body))
      }
      await call(kind, userId)
    }
  }

  const end = async (method: 'PATCH' | 'DELETE', userId: string): Promise<void> => {
    const answer = await fetch(`${stage.baseUrl}/api/v1/registered-users/${userId}`, {
      method,
      headers: { authorization: `Bearer ${stage.fleet.key}`, 'content-type': 'application/json' },
      body: method === 'PATCH' ? JSON.stringify({ is_active: false }) : null,
    })
    const kind = method === 'PATCH' ? 'deactivate' : 'delete'
    const text = await answer.text()
    expect(kind, answer.status < 300, () => text)
  }
  const removeUser = async (): Promise<void> => {
    const userId = removable.pop()
    if (userId) await end(removable.length % 2 === 0 ? 'PATCH' : 'DELETE', userId)
    await delay(20)
  }

  const loops = [
    ...Array.from({ length: CALLERS }, () => loop(callRandomUser)),
    ...Array.from({ length: REFRESHERS }, (_, part) => loop(refreshUser(part))),
    loop(linkNewUser),
    loop(removeUser),
  ]
  return {
    done,
    failures,
    stop: async () => {
      stopping.abort()
      await Promise.all(loops)
    },
  }
}
