import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { type ControlDeps, handleControl } from './control/control-handler.ts'
import type { FaultTarget } from './faults.ts'
import { fingerprint } from './fingerprint.ts'
import { HttpError } from './http/http-error.ts'
import { readForm } from './http/read-body.ts'
import { sendError, sendPage } from './http/send.ts'
import type { LedgerKind } from './ledger.ts'
import { notesOperations } from './notes/notes-api.ts'
import type { NotesStore } from './notes/notes-store.ts'
import { handleBearerApi } from './oauth/bearer-api.ts'
import type { FindBearer } from './oauth/find-bearer.ts'
import { handleInteraction } from './oauth/interaction-handler.ts'
import { homePage } from './pages/home.ts'
import { handleIcon, isIcon } from './pages/icons.ts'
import { playFault, replacesAnswer } from './play-fault.ts'
import { handleSitesApi, sitesCallKind } from './sites/sites-api.ts'
import { tasksOperations } from './tasks/tasks-api.ts'
import type { TasksStore } from './tasks/tasks-store.ts'
import { handleVaultApi, vaultCallKind } from './vault/vault-api.ts'
import { handleVaultKeysPage } from './vault/vault-keys-handler.ts'

export type Doors = ControlDeps & {
  provider: Provider
  findBearer: FindBearer
  notes: NotesStore
  tasks: TasksStore
}

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** Applies scripted faults first, then calls the handler for the path. */
export function routeRequest(doors: Doors): RequestListener {
  const oauth = doors.provider.callback()
  return (req, res) => {
    answer(doors, oauth, req, res).catch(error => answerError(error, res))
  }
}

async function answer(doors: Doors, oauth: Handler, req: IncomingMessage, res: ServerResponse) {
  // Concatenated instead of resolved, because a path with two leading slashes would otherwise name a host.
  const url = URL.parse(`http://sandbox${req.url}`)
  if (!url) throw new HttpError(400, 'invalid_request', 'The path is not valid.')
  const replaced = await applyFault(doors, req, res, url)
  if (!replaced) await dispatch(doors, oauth, req, res, url)
}

async function dispatch(doors: Doors, oauth: Handler, req: IncomingMessage, res: ServerResponse, url: URL) {
  const { pathname } = url
  if (pathname.startsWith('/_control/')) return handleControl(doors, req, res, url)
  if (pathname.startsWith('/notes/api/')) {
    const api = { company: 'Notes', operations: notesOperations, store: doors.notes }
    return handleBearerApi(doors, api, req, res, url)
  }
  if (pathname.startsWith('/tasks/api/')) {
    const api = { company: 'Tasks', operations: tasksOperations, store: doors.tasks }
    return handleBearerApi(doors, api, req, res, url)
  }
  if (pathname.startsWith('/vault/api/')) {
    return handleVaultApi({ keys: doors.vaultKeys, ledger: doors.ledger }, req, res, pathname)
  }
  if (pathname.startsWith('/sites/api/')) return handleSitesApi(doors, req, res, pathname)
  if (pathname === '/vault/keys') return handleVaultKeysPage(doors.vaultKeys, req, res)
  if (pathname.startsWith('/oauth/interaction/')) return handleInteraction(doors.provider, req, res)
  if (pathname === '/') return sendPage(res, 200, homePage())
  if (isIcon(pathname)) return handleIcon(pathname, res)
  return oauth(req, res)
}

/** Returns whether a fault replaced the response. */
async function applyFault(
  doors: Doors,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<boolean> {
  const target = faultTarget(url.pathname)
  const fault = target && doors.faults.take(target)
  if (!fault) return false
  if (replacesAnswer(fault)) await recordFault(doors, fault.behavior, req, url)
  await playFault(fault, req, res)
  return replacesAnswer(fault)
}

function faultTarget(pathname: string): FaultTarget | undefined {
  if (pathname.startsWith('/notes/api/')) return 'notes'
  if (pathname.startsWith('/tasks/api/')) return 'tasks'
  if (pathname.startsWith('/vault/api/')) return 'vault'
  if (pathname.startsWith('/sites/api/')) return 'sites'
  return oauthTargets[pathname]
}

const oauthTargets: Record<string, FaultTarget> = {
  '/oauth/authorize': 'authorize',
  '/oauth/token': 'token',
  '/oauth/revoke': 'revoke',
  '/oauth/userinfo': 'userinfo',
}

async function recordFault({ ledger }: Doors, behavior: string, req: IncomingMessage, { pathname }: URL) {
  const form = pathname.startsWith('/oauth/') && req.method === 'POST' ? await readForm(req) : undefined
  const kind = callKind(req.method ?? 'GET', pathname, form)
  if (!kind) return
  const bearer = /^Bearer (\S+)$/i.exec(req.headers.authorization ?? '')?.[1]
  const token = form?.get('refresh_token') ?? form?.get('token') ?? form?.get('code') ?? bearer
  const detail = { behavior, ...(token ? { token_fingerprint: fingerprint(token) } : {}) }
  ledger.record({ kind, account: null, outcome: 'fault', detail })
}

function callKind(method: string, pathname: string, form: URLSearchParams | undefined): LedgerKind | null {
  const target = oauthTargets[pathname]
  if (target === 'token') return form?.get('grant_type') === 'refresh_token' ? 'refresh' : 'token'
  if (target === 'authorize' || target === 'revoke') return target
  const operation = `${method} ${pathname}`
  return (
    notesOperations[operation]?.kind ??
    tasksOperations[operation]?.kind ??
    vaultCallKind(method, pathname) ??
    sitesCallKind(method, pathname)
  )
}

function answerError(error: unknown, res: ServerResponse): void {
  if (res.headersSent || res.closed) {
    res.destroy()
    return
  }
  if (error instanceof HttpError) return sendError(res, error)
  console.error('sandbox: a request failed:', error)
  sendError(res, new HttpError(500, 'server_error', 'The sandbox failed; see its log.'))
}
