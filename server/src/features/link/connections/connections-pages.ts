import { DEFAULT_PAUSE_SECONDS, MAX_ACCOUNT_LABEL } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { isServedOrSuspended } from '../../../core/organization-state.ts'
import { isRefusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf } from '../../../core/token.ts'
import { isUuid, NIL_UUID } from '../../../core/uuid.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import { renameCredential } from '../../credentials/accounts/rename-credential.ts'
import { pauseCredential, resumeCredential } from '../../credentials/pause-credential.ts'
import { deleteCredential } from '../../credentials/read-credentials.ts'
import { readView, viewQuery } from '../attempts/view.ts'
import { createBrowserBinding } from '../pages/browser-binding.ts'
import type { PageDeps } from '../pages/page-deps.ts'
import { frameOf } from '../pages/page-response.ts'
import { createPresenter } from '../pages/presenter.ts'
import { readForm } from '../pages/session-guard.ts'
import { connectionsHandle } from '../sessions/connections-handle.ts'
import type { MintLinkToken } from '../sessions/mint-link-token.ts'
import { connectionPage } from '../views/connections/detail.ts'
import { confirmDisconnectPage, disconnectedPage } from '../views/connections/disconnect.ts'
import { connectionsPage } from '../views/connections/list.ts'
import { connectionsFrame } from './connections-frame.ts'
import { type ConnectionsVisit, createConnectionsGuard } from './connections-guard.ts'
import { connectionsLinkStore } from './connections-link-store.ts'
import { type FoundConnection, ownerOf, readConnection, readConnections } from './read-connections.ts'
import { canReconnect, startReconnect } from './reconnect.ts'
import type { UserClients } from './user-clients.ts'

type Deps = PageDeps & {
  lists: ReadDatabase
  wakeUps: WakeUps
  mintLinkToken: MintLinkToken
  clients: UserClients
}

/** The pages of My connections, under `{link_url}/connections`. They work without a script. */
export const connectionsPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, wakeUps } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createPresenter({ ...deps, browsers })
  const path = `${new URL(deps.linkUrl).pathname.replace(/\/$/, '')}/connections`
  const guard = createConnectionsGuard({ ...deps, path, browsers, present })
  const { onGet, onPost, onOpen, formTo } = guard

  const list = onGet(async visit => {
    const [connections, clients] = await Promise.all([
      readConnections(deps, visit),
      deps.clients.list(ownerOf(visit)),
    ])
    const model = {
      connections: connections.map(({ credentialId, ...connection }) => ({
        ...connection,
        href: addressIn(visit, `/${credentialId}`),
      })),
      clients: clients.map(({ id, name, since }) => ({
        name,
        since,
        signOut: formTo(visit, `/clients/${id}/sign-out`),
      })),
    }
    return present.show(visit, 200, connectionsPage(frameOf(visit), model))
  })

  app.get(`${path}/:handle`, async (request, reply) => {
    const token = parseToken('connectionsLink', (request.params as { handle: string }).handle)
    if (!token) return list(request, reply)
    const link = await connectionsLinkStore.findBySecret(db, hashToken(token))
    const view = readView(request.query as Record<string, unknown>, 'magic_link')
    if (!link || !isServedOrSuspended(link.organizationState)) {
      await deps.checkRoutingCode(routingCodeOf(token))
      return present.refuseAnonymous({ request, reply, mount: 'link', view }, 404, 'invalid_link')
    }
    // The redirect keeps the token out of the address bar and the history.
    return reply.redirect(`${path}/${connectionsHandle(signer, link)}${viewQuery(view)}`, 303)
  })

  app.post(`${path}/:handle/open`, onOpen)
  app.post(
    `${path}/:handle/clients/:client/sign-out`,
    onPost(async visit => {
      const { client } = visit.request.params as { client: string }
      if (isUuid(client)) await deps.clients.signOut(ownerOf(visit), client)
      return visit.reply.redirect(addressIn(visit, ''), 303)
    }),
  )
  connectionsFrame(app, deps, path)

  type Found<Status> = {
    visit: ConnectionsVisit
    id: string
    found: Extract<FoundConnection, { status: Status }>
  }

  /** Reads the connection that the address names. An unknown one, or another user's, leads to the list. */
  const withConnection =
    (respond: {
      connected: (context: Found<'connected'>) => unknown
      ended: (context: Found<'ended'>) => unknown
    }) =>
    async (visit: ConnectionsVisit): Promise<unknown> => {
      const id = credentialIdOf(visit)
      const found = await readConnection(deps, visit, id)
      if (!found) return visit.reply.redirect(addressIn(visit, ''), 303)
      return found.status === 'connected'
        ? respond.connected({ visit, id, found })
        : respond.ended({ visit, id, found })
    }

  const at = (suffix: string) => `${path}/:handle/:credential${suffix}`
  const toReceipt = ({ visit, id }: Found<'ended'>) =>
    visit.reply.redirect(addressIn(visit, `/${id}/disconnected`), 303)

  const showConnection = async (
    { visit, id, found: { slug, detail, isOneOfSeveral } }: Found<'connected'>,
    rejectedLabel: string | null = null,
  ) => {
    const canLink = await canReconnect(deps, visit, slug)
    const model = {
      connection: detail,
      backHref: addressIn(visit, ''),
      reconnect: canLink ? formTo(visit, `/${id}/reconnect`) : null,
      add: canLink ? formTo(visit, `/${id}/add`) : null,
      rename: isOneOfSeveral ? formTo(visit, `/${id}/rename`) : null,
      rejectedLabel,
      pause: formTo(visit, `/${id}/pause`),
      resume: formTo(visit, `/${id}/resume`),
      disconnectHref: addressIn(visit, `/${id}/disconnect`),
    }
    const page = connectionPage(frameOf(visit, {}, { path: `/${id}` }), model)
    return present.show(visit, rejectedLabel === null ? 200 : 422, page)
  }

  app.get(
    at(''),
    onGet(
      withConnection({
        ended: toReceipt,
        connected: context => showConnection(context),
      }),
    ),
  )

  app.get(
    at('/disconnect'),
    onGet(
      withConnection({
        ended: toReceipt,
        connected: ({ visit, id, found: { detail } }) => {
          const { connector, account } = detail
          const page = confirmDisconnectPage(frameOf(visit, {}, { path: `/${id}/disconnect` }), {
            connector,
            account,
            disconnect: formTo(visit, `/${id}/disconnect`),
            backHref: addressIn(visit, `/${id}`),
          })
          return present.show(visit, 200, page)
        },
      }),
    ),
  )

  app.get(
    at('/disconnected'),
    onGet(
      withConnection({
        connected: ({ visit, id }) => visit.reply.redirect(addressIn(visit, `/${id}`), 303),
        ended: ({ visit, id, found: { ended } }) => {
          const here = `/${id}/disconnected`
          const page = disconnectedPage(frameOf(visit, {}, { path: here }), {
            ...ended,
            backHref: addressIn(visit, ''),
            checkHref: addressIn(visit, here),
          })
          return present.show(visit, 200, page)
        },
      }),
    ),
  )

  /** A change of a connection. One that was disconnected meanwhile, or belongs to another user, is not changed. */
  const onChange = (
    address: string,
    change: (visit: ConnectionsVisit, id: string) => Promise<void>,
    next: string,
  ): void => {
    app.post(
      at(address),
      onPost(async visit => {
        const id = credentialIdOf(visit)
        await change(visit, id).catch((error: unknown) => {
          if (!isRefusal(error, 'credential_not_found')) throw error
        })
        wakeUps.wake(userTopic(visit.session.registeredUserId))
        return visit.reply.redirect(addressIn(visit, `/${id}${next}`), 303)
      }),
    )
  }

  onChange('/pause', (visit, id) => pauseCredential(db, ownerOf(visit), id, DEFAULT_PAUSE_SECONDS), '')
  onChange('/resume', (visit, id) => resumeCredential(db, ownerOf(visit), id), '')
  onChange(
    '/disconnect',
    async (visit, id) => {
      await deleteCredential(db, ownerOf(visit), id, 'disconnected_by_user')
      deps.afterRevocation()
    },
    '/disconnected',
  )

  app.post(
    at('/rename'),
    onPost(
      withConnection({
        ended: toReceipt,
        connected: async context => {
          const { visit, id } = context
          const label = readForm(visit.request.body).label ?? ''
          try {
            await renameCredential(db, ownerOf(visit), id, label)
          } catch (error) {
            if (isRefusal(error, 'credential_not_found'))
              return visit.reply.redirect(addressIn(visit, ''), 303)
            if (!isRefusal(error, 'account_label_taken') && !isRefusal(error, 'invalid_request')) throw error
            return showConnection(context, label.slice(0, MAX_ACCOUNT_LABEL))
          }
          wakeUps.wake(userTopic(visit.session.registeredUserId))
          return visit.reply.redirect(addressIn(visit, `/${id}`), 303)
        },
      }),
    ),
  )

  /** Opens Link, to reconnect this account or to add another one of its connector. */
  const onLink = (address: string, accountOf: (id: string) => Parameters<typeof startReconnect>[3]): void => {
    app.post(
      at(address),
      onPost(
        withConnection({
          ended: toReceipt,
          connected: async ({ visit, id, found: { slug } }) => {
            const link = await startReconnect(deps, visit, slug, accountOf(id))
            return link === null
              ? present.refuse(visit, 410, 'connector_gone')
              : visit.reply.redirect(link, 303)
          },
        }),
      ),
    )
  }
  onLink('/reconnect', id => ({ credentialId: id }))
  onLink('/add', () => ({ accountChoice: 'add' }))

  // The response to a form has the form's address; opening that address again redirects to the connection's page.
  app.get(
    at('/*'),
    onGet(visit => visit.reply.redirect(addressIn(visit, `/${credentialIdOf(visit)}`), 303)),
  )
}

/** A malformed ID is treated like an unknown one, and never repeated in an address. */
const credentialIdOf = ({ request }: ConnectionsVisit): string => {
  const { credential } = request.params as { credential: string }
  return isUuid(credential) ? credential : NIL_UUID
}

const addressIn = ({ base, view }: ConnectionsVisit, address: string): string =>
  `${base}${address}${viewQuery(view)}`
