import { DEFAULT_PAUSE_SECONDS, MAX_ACCOUNT_LABEL } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { isServedOrSuspended } from '../../../core/organization-state.ts'
import { isRefusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf } from '../../../core/token.ts'
import { isUuid, NIL_UUID } from '../../../core/uuid.ts'
import { senderOf } from '../../../edge/audit.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { userTopic, type WakeUps } from '../../../platform/jobs/wake-ups.ts'
import { renameCredential } from '../../credentials/accounts/rename-credential.ts'
import { pauseCredential, resumeCredential } from '../../credentials/pause-credential.ts'
import { deleteCredential } from '../../credentials/read-credentials.ts'
import { createBrowserBinding } from '../../pages/browser-binding.ts'
import { readForm } from '../../pages/form.ts'
import { frameOf } from '../../pages/page-response.ts'
import { readView, viewQuery } from '../../pages/view.ts'
import { connectionPage } from '../../pages/views/connections/detail.ts'
import { confirmDisconnectPage, disconnectedPage } from '../../pages/views/connections/disconnect.ts'
import { connectionsPage } from '../../pages/views/connections/list.ts'
import { createLinkPresenter } from '../pages/link-presenter.ts'
import type { PageDeps } from '../pages/page-deps.ts'
import { connectionsHandle } from '../sessions/connections-handle.ts'
import type { MintLinkToken } from '../sessions/mint-link-token.ts'
import type { UserClients } from './allowed-clients.ts'
import { connectionsFrame } from './connections-frame.ts'
import { type ConnectionsPageContext, createConnectionsGuard } from './connections-guard.ts'
import { connectionsLinkStore } from './connections-link-store.ts'
import { readApprovals } from './read-approvals.ts'
import {
  type FoundConnection,
  ownerOf,
  readConnection,
  readConnections,
  readShared,
} from './read-connections.ts'
import { canReconnect, startReconnect } from './reconnect.ts'
import { replaceableEntry, replacePages } from './replace-pages.ts'
import type { UserApprovals } from './user-approvals.ts'

type Deps = PageDeps & {
  lists: ReadDatabase
  wakeUps: WakeUps
  mintLinkToken: MintLinkToken
  clients: UserClients
  approvals: UserApprovals
}

/** The pages of My connections, under `{link_url}/connections`. They work without a script. */
export const connectionsPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, wakeUps } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createLinkPresenter({ ...deps, browsers })
  const path = `${new URL(deps.linkUrl).pathname.replace(/\/$/, '')}/connections`
  const guard = createConnectionsGuard({ ...deps, path, browsers, present })
  const { onGet, onPost, onOpen, formTo } = guard

  const list = onGet(async context => {
    const [connections, shared, clients, approvals] = await Promise.all([
      readConnections(deps, context),
      readShared(deps, context),
      deps.clients.list(ownerOf(context)),
      readApprovals(deps, context),
    ])
    const model = {
      connections: connections.map(({ credentialId, ...connection }) => ({
        ...connection,
        href: addressIn(context, `/${credentialId}`),
      })),
      shared,
      clients: clients.map(({ id, name, since }) => ({
        name,
        since,
        signOut: formTo(context, `/clients/${id}/sign-out`),
      })),
      pending: approvals.pending.map(({ id, ...pending }) => ({
        ...pending,
        deny: formTo(context, `/approvals/${id}/deny`),
      })),
      decided: approvals.decided,
      grants: approvals.grants.map(({ id, ...grant }) => ({
        ...grant,
        revoke: formTo(context, `/grants/${id}/revoke`),
      })),
    }
    return present.show(context, 200, connectionsPage(frameOf(context), model))
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
    onPost(async context => {
      const { client } = context.request.params as { client: string }
      if (isUuid(client)) await deps.clients.signOut(ownerOf(context), client)
      return context.reply.redirect(addressIn(context, ''), 303)
    }),
  )
  const byUser = ({ request }: ConnectionsPageContext) => ({
    requestId: request.id,
    sender: senderOf(request),
  })
  app.post(
    `${path}/:handle/approvals/:approval/deny`,
    onPost(async context => {
      const { approval } = context.request.params as { approval: string }
      await deps.approvals.deny(ownerOf(context), approval, byUser(context))
      return context.reply.redirect(addressIn(context, ''), 303)
    }),
  )
  app.post(
    `${path}/:handle/grants/:grant/revoke`,
    onPost(async context => {
      const { grant } = context.request.params as { grant: string }
      await deps.approvals.revoke(ownerOf(context), grant, byUser(context))
      return context.reply.redirect(addressIn(context, ''), 303)
    }),
  )
  connectionsFrame(app, deps, path)

  type Found<Status> = {
    context: ConnectionsPageContext
    id: string
    found: Extract<FoundConnection, { status: Status }>
  }

  /** Reads the connection that the address names. An unknown one, or another user's, leads to the list. */
  const withConnection =
    (respond: {
      connected: (found: Found<'connected'>) => unknown
      ended: (found: Found<'ended'>) => unknown
    }) =>
    async (context: ConnectionsPageContext): Promise<unknown> => {
      const id = credentialIdOf(context)
      const found = await readConnection(deps, context, id)
      if (!found) return context.reply.redirect(addressIn(context, ''), 303)
      return found.status === 'connected'
        ? respond.connected({ context, id, found })
        : respond.ended({ context, id, found })
    }

  const at = (suffix: string) => `${path}/:handle/:credential${suffix}`
  const toReceipt = ({ context, id }: Found<'ended'>) =>
    context.reply.redirect(addressIn(context, `/${id}/disconnected`), 303)

  const showConnection = async (
    { context, id, found: { slug, detail, isOneOfSeveral } }: Found<'connected'>,
    {
      rejectedLabel = null,
      wasReplaced = false,
    }: { rejectedLabel?: string | null; wasReplaced?: boolean } = {},
  ) => {
    const [canLink, asks] = await Promise.all([
      canReconnect(deps, context, slug),
      replaceableEntry(deps, context, id),
    ])
    const model = {
      connection: detail,
      backHref: addressIn(context, ''),
      reconnect: canLink ? formTo(context, `/${id}/reconnect`) : null,
      add: canLink ? formTo(context, `/${id}/add`) : null,
      rename: isOneOfSeveral ? formTo(context, `/${id}/rename`) : null,
      rejectedLabel,
      replace: asks && { asksFor: asks, href: addressIn(context, `/${id}/replace`) },
      wasReplaced,
      pause: formTo(context, `/${id}/pause`),
      resume: formTo(context, `/${id}/resume`),
      disconnectHref: addressIn(context, `/${id}/disconnect`),
    }
    const page = connectionPage(frameOf(context, {}, { path: `/${id}` }), model)
    return present.show(context, rejectedLabel === null ? 200 : 422, page)
  }

  app.get(
    at(''),
    onGet(
      withConnection({
        ended: toReceipt,
        connected: found => showConnection(found),
      }),
    ),
  )

  replacePages(
    app,
    { ...deps, guard, present, path },
    withConnection({ ended: toReceipt, connected: found => showConnection(found, { wasReplaced: true }) }),
  )

  app.get(
    at('/disconnect'),
    onGet(
      withConnection({
        ended: toReceipt,
        connected: ({ context, id, found: { detail } }) => {
          const { connector, account } = detail
          const page = confirmDisconnectPage(frameOf(context, {}, { path: `/${id}/disconnect` }), {
            connector,
            account,
            disconnect: formTo(context, `/${id}/disconnect`),
            backHref: addressIn(context, `/${id}`),
          })
          return present.show(context, 200, page)
        },
      }),
    ),
  )

  app.get(
    at('/disconnected'),
    onGet(
      withConnection({
        connected: ({ context, id }) => context.reply.redirect(addressIn(context, `/${id}`), 303),
        ended: ({ context, id, found: { ended } }) => {
          const here = `/${id}/disconnected`
          const page = disconnectedPage(frameOf(context, {}, { path: here }), {
            ...ended,
            backHref: addressIn(context, ''),
            checkHref: addressIn(context, here),
          })
          return present.show(context, 200, page)
        },
      }),
    ),
  )

  /** A change of a connection. One that was disconnected meanwhile, or belongs to another user, is not changed. */
  const onChange = (
    address: string,
    change: (context: ConnectionsPageContext, id: string) => Promise<void>,
    next: string,
  ): void => {
    app.post(
      at(address),
      onPost(async context => {
        const id = credentialIdOf(context)
        await change(context, id).catch((error: unknown) => {
          if (!isRefusal(error, 'credential_not_found')) throw error
        })
        wakeUps.wake(userTopic(context.session.registeredUserId))
        return context.reply.redirect(addressIn(context, `/${id}${next}`), 303)
      }),
    )
  }

  onChange('/pause', (context, id) => pauseCredential(db, ownerOf(context), id, DEFAULT_PAUSE_SECONDS), '')
  onChange('/resume', (context, id) => resumeCredential(db, ownerOf(context), id), '')
  onChange(
    '/disconnect',
    async (context, id) => {
      await deleteCredential(db, ownerOf(context), id, 'disconnected_by_user')
      deps.afterRevocation()
    },
    '/disconnected',
  )

  app.post(
    at('/rename'),
    onPost(
      withConnection({
        ended: toReceipt,
        connected: async found => {
          const { context, id } = found
          const label = readForm(context.request.body).label ?? ''
          try {
            await renameCredential(db, ownerOf(context), id, label)
          } catch (error) {
            if (isRefusal(error, 'credential_not_found'))
              return context.reply.redirect(addressIn(context, ''), 303)
            if (!isRefusal(error, 'account_label_taken') && !isRefusal(error, 'invalid_request')) throw error
            return showConnection(found, { rejectedLabel: label.slice(0, MAX_ACCOUNT_LABEL) })
          }
          wakeUps.wake(userTopic(context.session.registeredUserId))
          return context.reply.redirect(addressIn(context, `/${id}`), 303)
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
          connected: async ({ context, id, found: { slug } }) => {
            const link = await startReconnect(deps, context, slug, accountOf(id))
            return link === null
              ? present.refuse(context, 410, 'connector_gone')
              : context.reply.redirect(link, 303)
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
    onGet(context => context.reply.redirect(addressIn(context, `/${credentialIdOf(context)}`), 303)),
  )
}

/** A malformed ID is treated like an unknown one, and never repeated in an address. */
const credentialIdOf = ({ request }: ConnectionsPageContext): string => {
  const { credential } = request.params as { credential: string }
  return isUuid(credential) ? credential : NIL_UUID
}

const addressIn = ({ base, view }: ConnectionsPageContext, address: string): string =>
  `${base}${address}${viewQuery(view)}`
