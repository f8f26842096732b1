import { approvalBounds, type RememberPeriod, rememberBounds } from '@carabiner/contract'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditTrail } from '../../core/audited-change.ts'
import { hashSecret } from '../../core/hash-secret.ts'
import { type CheckRoutingCode, isServed } from '../../core/organization-state.ts'
import { hashToken, parseToken } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import { senderOf } from '../../edge/audit.ts'
import type { WakeUps } from '../../platform/jobs/wake-ups.ts'
import { APPROVE_PATH, readApprovalHandle } from '../approvals/approval-address.ts'
import { canDecide } from '../approvals/deciders.ts'
import type { Remember } from '../approvals/grants.ts'
import type { Connectors } from '../connectors/availability.ts'
import { appendParameters } from '../link/sessions/callback-url.ts'
import { isAppCallback } from '../organizations/callback-origin.ts'
import { createBrowserBinding } from '../pages/browser-binding.ts'
import { type Form, readForm } from '../pages/form.ts'
import { routingCodeOfHandle } from '../pages/handle.ts'
import type { PageLimits } from '../pages/page-limits.ts'
import { frameOf, type OwnedPageContext } from '../pages/page-response.ts'
import { createPresenter, type PresenterDeps } from '../pages/presenter.ts'
import { readView, viewQuery } from '../pages/view.ts'
import { approvalEndingPage, approvalEntryPage, approvalPage } from '../pages/views/approval/index.ts'
import type { FormTarget, RefusedReason } from '../pages/views/index.ts'
import { endingOf, readCallModel } from './call-model.ts'
import { decideInVisit } from './decide-in-visit.ts'
import { type ApprovalSignInDeps, beginApprovalSignIn } from './sign-in.ts'
import { type ApprovalKey, type ShownApproval, type Visit, visitStore } from './visit-store.ts'

const MAX_FORM_BYTES = 16 * 1024

type Deps = ApprovalSignInDeps &
  PresenterDeps & {
    connectors: Connectors
    wakeUps: WakeUps
    audit: AuditTrail
    limits: PageLimits
    linkUrl: string
    checkRoutingCode: CheckRoutingCode
  }

/** Whether anyone with the link can decide as the user whose call it is. */
const opensByLink = ({ linkDecides, rules, userOfCall }: ShownApproval): boolean =>
  linkDecides && canDecide(rules, userOfCall)

/** Whether calls like this one shall run without asking again. */
const readRemember = (form: Form): Remember | null => {
  const period = form['remember'] ?? ''
  if (!Object.hasOwn(rememberBounds, period)) return null
  return { period: period as RememberPeriod, freesTexts: form['remember_texts'] === 'yes' }
}

/** The pages on which users decide about calls: they are never framed, and work without a script. */
export const approvalPages = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer } = deps
  const browsers = createBrowserBinding(signer, deps.baseUrl, deps.linkUrl)
  const present = createPresenter(deps)
  const contextOf = (request: FastifyRequest, reply: FastifyReply) => ({
    request,
    reply,
    mount: 'connect' as const,
    view: readView((request.query ?? {}) as Form, 'magic_link'),
  })
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    reason: RefusedReason = 'approval_invalid',
  ) => present.refuseAnonymous(contextOf(request, reply), status, reason)

  void app.register(formbody, { bodyLimit: MAX_FORM_BYTES })
  app.setErrorHandler(async (error, request, reply) => present.failed(error, contextOf(request, reply)))
  app.addHook('onRequest', async (request, reply) => {
    const wait = await deps.limits.take(request.ip, request.method === 'POST' ? 'post' : 'view')
    if (wait === null) return undefined
    reply.header('retry-after', String(wait))
    return refuse(request, reply, 429, 'too_many_requests')
  })

  const handleOf = ({ params }: FastifyRequest): string => (params as { handle: string }).handle
  const pathOf = (request: FastifyRequest): string => `${APPROVE_PATH}/${handleOf(request)}`

  /** The approval that the address names, with the visit of this browser. */
  const find = async (request: FastifyRequest): Promise<ShownApproval | null> => {
    const key = readApprovalHandle(signer, handleOf(request))
    if (!key) {
      const code = routingCodeOfHandle(handleOf(request))
      if (code !== null) await deps.checkRoutingCode(code)
      return null
    }
    const browser = browsers.read(request)
    return visitStore.findShown(db, key, browser === null ? null : hashSecret(browser))
  }
  const ownedContextOf = (
    request: FastifyRequest,
    reply: FastifyReply,
    owner: ShownApproval,
  ): OwnedPageContext => ({ ...contextOf(request, reply), base: pathOf(request), owner })
  const formTo = (
    { request, reply, base, view }: OwnedPageContext,
    path: string,
    fields: Record<string, string> = {},
  ): FormTarget => ({
    action: `${base}${path}${viewQuery(view)}`,
    fields: {
      ...fields,
      form_token: browsers.formToken(browsers.ensure(request, reply), handleOf(request)),
    },
  })

  const show = (request: FastifyRequest, reply: FastifyReply, approval: ShownApproval) => {
    const context = ownedContextOf(request, reply, approval)
    const { organizationState, visit, rules } = approval
    if (organizationState === 'suspended') return present.refuse(context, 403, 'organization_suspended')
    if (!isServed(organizationState)) return present.moving(context, context)
    if (!visit) return showEntry(context, approval)
    if (!canDecide(rules, visit.registeredUserId))
      return present.refuse(context, 403, 'approval_of_another_user')
    const ending = endingOf(approval)
    if (ending) return present.show(context, 200, approvalEndingPage(frameOf(context), { ending }))
    return showCall(context, approval, visit)
  }

  /** Shows nothing about the call, because the caller knows this address too. */
  const showEntry = (context: OwnedPageContext, approval: ShownApproval) => {
    const frame = { ...frameOf(context), user: null }
    const model = {
      signIn: approval.signsIn ? formTo(context, '/sign-in') : null,
      view: opensByLink(approval) ? formTo(context, '/view') : null,
    }
    return present.show(context, 200, approvalEntryPage(frame, model))
  }

  const showCall = async (context: OwnedPageContext, approval: ShownApproval, visit: Visit) => {
    const model = await readCallModel(deps, context, approval, visit)
    // The call of an approval that has just ended may be deleted.
    if (!model) return refuse(context.request, context.reply, 410)
    const digest = { digest: approval.digest.toString('hex') }
    return present.show(
      context,
      200,
      approvalPage(frameOf(context), {
        ...model,
        open: position => formTo(context, '/open', { position: String(position) }),
        approve: formTo(context, '/approve', digest),
        deny: formTo(context, '/deny', digest),
      }),
    )
  }

  // No HEAD routes below, because a request changes something.
  app.get(`${APPROVE_PATH}/:handle`, { exposeHeadRoute: false }, async (request, reply) => {
    const approval = await find(request)
    return approval ? show(request, reply, approval) : refuse(request, reply, 404)
  })

  // The link of the application. It belongs to the first browser that opens it.
  app.get(`${APPROVE_PATH}/:handle/open/:token`, { exposeHeadRoute: false }, async (request, reply) => {
    const key = readApprovalHandle(signer, handleOf(request))
    const token = parseToken('approvalLink', (request.params as { token: string }).token)
    if (!key || !token) return refuse(request, reply, 404)
    const isOpened = await visitStore.openLink(db, {
      organizationId: key.organizationId,
      approvalId: key.id,
      tokenHash: hashToken(token),
      browserHash: hashSecret(browsers.ensure(request, reply)),
    })
    // Opened again in the same browser, the page is there; in another one, it asks to sign in.
    if (!isOpened && !(await find(request))?.visit) return refuse(request, reply, 403, 'opened_elsewhere')
    return reply.redirect(pathOf(request), 303)
  })

  /** A form of this browser, and the approval that its user can decide. */
  const readDecision = async (request: FastifyRequest) => {
    const form = readForm(request.body)
    const approval = await find(request)
    const isOwn = browsers.verify(request, handleOf(request), form['form_token'] ?? '') !== null
    const visit = approval?.visit
    return isOwn && visit && isServed(approval.organizationState) && !endingOf(approval)
      ? { form, approval, visit }
      : null
  }
  const keyOf = ({ organizationId, approvalId }: ShownApproval): ApprovalKey => ({
    organizationId,
    id: approvalId,
  })

  app.post(`${APPROVE_PATH}/:handle/sign-in`, async (request, reply) => {
    const approval = await find(request)
    const browser = browsers.verify(request, handleOf(request), readForm(request.body)['form_token'] ?? '')
    if (!approval || browser === null) return refuse(request, reply, 403)
    const begun = await beginApprovalSignIn(deps, { approval: keyOf(approval), mode: approval.mode, browser })
    if ('href' in begun) return reply.redirect(begun.href, 303)
    return present.refuse(ownedContextOf(request, reply, approval), 403, begun.refused)
  })

  // A form, so that whatever only fetches addresses does not begin a visit.
  app.post(`${APPROVE_PATH}/:handle/view`, async (request, reply) => {
    const approval = await find(request)
    const browser = browsers.verify(request, handleOf(request), readForm(request.body)['form_token'] ?? '')
    if (!approval || browser === null) return refuse(request, reply, 403)
    const visit = { ...keyOf(approval), id: newUuid(), approvalId: approval.approvalId }
    if (opensByLink(approval))
      await visitStore.insertByLink(db, { ...visit, browserHash: hashSecret(browser) })
    return reply.redirect(`${pathOf(request)}${viewQuery(contextOf(request, reply).view)}`, 303)
  })

  app.post(`${APPROVE_PATH}/:handle/open`, async (request, reply) => {
    const decision = await readDecision(request)
    const position = Number(decision?.form['position'])
    if (!decision || !Number.isInteger(position) || position < 0 || position > 0xffff)
      return reply.redirect(pathOf(request), 303)
    const { approval, visit } = decision
    await visitStore.openValue(db, { organizationId: approval.organizationId, id: visit.id }, position)
    return reply.redirect(
      `${pathOf(request)}${viewQuery(contextOf(request, reply).view)}#value-${position}`,
      303,
    )
  })

  for (const decision of ['approve', 'deny'] as const)
    app.post(`${APPROVE_PATH}/:handle/${decision}`, async (request, reply) => {
      const here = `${pathOf(request)}${viewQuery(contextOf(request, reply).view)}`
      const read = await readDecision(request)
      const digest = Buffer.from(read?.form['digest'] ?? '', 'hex')
      const reason = read?.form['reason']?.trim().slice(0, approvalBounds.reasonLength) || null
      const decided =
        read &&
        (await decideInVisit(deps, read, {
          decision,
          digest,
          reason,
          remember: readRemember(read.form),
          requestId: request.id,
          sender: senderOf(request),
        }))
      // The page shows the current state: what is left to open, or how the approval has ended.
      if (!decided || read.visit.returnUrl === null) return reply.redirect(here, 303)
      const { approval, visit } = read
      const href = appendParameters(visit.returnUrl as string, {
        approval_id: approval.approvalId,
        ...decided,
      })
      if (!isAppCallback(href)) return reply.redirect(href, 303)
      // An app with its own URL scheme: a redirect there would leave the browser on the page that has just been answered.
      const context = ownedContextOf(request, reply, approval)
      const frame = { ...frameOf(context), languages: [] }
      const ending = decided.status === 'denied' ? 'denied' : 'approved'
      return present.show(context, 200, approvalEndingPage(frame, { ending, appHref: href }))
    })
}
