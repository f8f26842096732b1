import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isAppCallback } from './callback-url.ts'
import type { SessionRow } from './link-session-store.ts'
import { type Frame, type KnownFrame, STYLE_HASH } from './views/index.ts'

/** A form's answer may redirect on to the third party and to the application; Chromium holds that whole chain to form-action. */
const formAction = (session: SessionRow | null, development: boolean): string => {
  const scheme =
    session?.callback_url && isAppCallback(session.callback_url)
      ? [new URL(session.callback_url).protocol]
      : []
  return ["'self'", 'https:', ...(development ? ['http:'] : []), ...scheme].join(' ')
}

export const sendPage = (
  reply: FastifyReply,
  status: number,
  page: SafeHtml,
  { session, development }: { session: SessionRow | null; development: boolean },
): FastifyReply =>
  reply
    .code(status)
    .header(
      'content-security-policy',
      `default-src 'none'; style-src ${STYLE_HASH}; img-src 'self' data:; form-action ${formAction(session, development)}; frame-ancestors 'none'; base-uri 'none'`,
    )
    .header('x-frame-options', 'DENY')
    .type('text/html; charset=utf-8')
    .send(String(page))

const clockTime = (now: Date): string => `${now.toISOString().slice(11, 16)} UTC`

export const unknownFrame = (request: FastifyRequest): Frame => ({
  organization: null,
  user: null,
  testMode: false,
  requestId: request.id,
  time: clockTime(new Date()),
})

export const frameOf = (request: FastifyRequest, session: SessionRow): KnownFrame => ({
  ...unknownFrame(request),
  organization: { name: session.organization_name },
  user: session.user_name === null ? null : { name: session.user_name },
  testMode: session.mode === 'test',
})
