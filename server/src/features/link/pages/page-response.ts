import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { linkLanguages } from '@carabiner/contract'
import type { SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Connectors } from '../../connectors/availability.ts'
import type { Translate } from '../../connectors/catalog/translations.ts'
import { type Brand, brandOf } from '../../organizations/link-customization.ts'
import { type View, viewQuery } from '../attempts/view.ts'
import { isAppCallback } from '../sessions/callback-url.ts'
import type { SessionStanding } from '../sessions/link-session.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import {
  brandStyle,
  type Frame,
  hashSource,
  type KnownFrame,
  type Look,
  type PageData,
  SCRIPT_HASH,
  STYLE_HASH,
} from '../views/index.ts'
import { chooseLanguage } from '../views/words/choose-language.ts'
import { wordsIn } from '../views/words/index.ts'
import { withTexts } from '../views/words/overrides.ts'

/**
 * The two places where Link's pages are served. `connect`: top-level pages under `{base_url}`, never framed. `link`: pages
 * under `{link_url}`, which allowed origins may frame.
 */
export type Mount = 'connect' | 'link'

/** A request for a page without a known session. */
export type AnonymousVisit = { request: FastifyRequest; reply: FastifyReply; mount: Mount; view: View }

/** The organization and the user of a page. */
export type PageOwner = Pick<
  StoredSession,
  | 'organizationId'
  | 'organization'
  | 'user'
  | 'mode'
  | 'settings'
  | 'lightLogo'
  | 'darkLogo'
  | 'allowedOrigins'
  | 'callbackUrl'
>

/** A request for a page of a known organization. */
export type OwnedVisit = AnonymousVisit & {
  /** The path prefix of the pages of this session or link. */
  base: string
  session: PageOwner
}

/** A request for a page of a session. */
export type Visit = AnonymousVisit & {
  handle: string
  /** The path prefix of this session's pages. */
  base: string
  session: StoredSession
  standing: SessionStanding
}

const lookOf = (brand: Brand, { theme }: View): Look => ({
  theme,
  colors: brand.colors,
  radius: brand.radius,
  coBranding: brand.coBranding,
  logo: brand.logo,
  supportHref: brand.supportUrl,
  privacyHref: brand.privacyUrl,
  termsHref: brand.termsUrl,
})

/** The frame of a page without a session, or of a preview with an organization's brand. */
export const unknownFrame = (
  { request, view }: AnonymousVisit,
  data: PageData = {},
  brand: Brand = brandOf(null),
): Frame => {
  const language = languageOf(request, view, brand.defaultLanguage)
  return {
    words: withTexts(wordsIn(language), brand.texts[language] ?? {}),
    look: lookOf(brand, view),
    data,
    embedded: view.surface === 'embedded',
    languages: [],
    organization: null,
    user: null,
    testMode: false,
    requestId: request.id,
    time: new Date(),
  }
}

/** Translates connector texts into the language of the page. */
export const translatorFor = (visit: OwnedVisit, { catalog }: Connectors): Translate =>
  catalog.translator(languageOf(visit.request, visit.view, brandOf(visit.session).defaultLanguage))

const languageOf = (request: FastifyRequest, view: View, fallback: (typeof linkLanguages)[number]) =>
  chooseLanguage({ requested: view.lang, accepted: request.headers['accept-language'], fallback })

/** `here`: the current page, for its links to other languages. */
export const frameOf = (
  visit: OwnedVisit,
  data: PageData = {},
  here: { path?: string; more?: Record<string, string> } = {},
): KnownFrame => {
  const { view, session, base } = visit
  return {
    ...unknownFrame(visit, { ...openerOf(visit), ...data }, brandOf(session)),
    languages: languagesAt(`${base}${here.path ?? ''}`, view, here.more),
    organization: session.organization,
    user: userOf(session.user),
    testMode: session.mode === 'test',
  }
}

/** The page names the user by name, otherwise by email address, otherwise by the application's own ID. */
const userOf = ({ id, name, email }: PageOwner['user']): KnownFrame['user'] => {
  const trimmed = name?.trim() ?? ''
  return trimmed === '' ? { name: email?.trim() || id, isName: false } : { name: trimmed, isName: true }
}

export const languagesAt = (
  path: string,
  view: View,
  more: Record<string, string> = {},
): Frame['languages'] =>
  linkLanguages.map(language => ({
    language,
    name: wordsIn(language).languageName,
    href: `${path}${viewQuery({ ...view, lang: language }, more)}`,
  }))

/** Messages to the embedding page are sent only if its origin is allowed, and only to that origin. */
const openerOf = ({ mount, view, session }: OwnedVisit): PageData =>
  mount === 'link' && view.opener !== null && session.allowedOrigins.includes(view.opener)
    ? { opener: view.opener, ...(view.nonce !== null && { nonce: view.nonce }) }
    : {}

export const webOrigins = (session: Pick<PageOwner, 'allowedOrigins'>): string[] =>
  session.allowedOrigins.filter(origin => /^https?:/.test(origin))

type Policy = { development: boolean; baseUrl: string }

export const sendPage = async (
  { request, reply, mount, view }: AnonymousVisit,
  status: number,
  page: SafeHtml,
  session: PageOwner | null,
  { development, baseUrl }: Policy,
): Promise<FastifyReply> => {
  const framers = mount === 'link' && session ? webOrigins(session) : []
  if (framers.length === 0) reply.header('x-frame-options', 'DENY')
  // Framed forms need an Origin header, which `no-referrer` would suppress. `strict-origin` never includes the path.
  if (mount === 'link') reply.header('referrer-policy', 'strict-origin')
  const formAction = formActions(session, development, new URL(baseUrl).origin)
  const policy = pagePolicy(lookOf(brandOf(session), view), { framers, formAction })
  return sendHtml(request, reply.code(status).header('content-security-policy', policy), page)
}

/**
 * Compressed, because each page includes its script and style. Tokens are masked per response, so the size reveals nothing
 * about them.
 */
export const sendHtml = async (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  page: SafeHtml,
): Promise<FastifyReply> => {
  reply.header('vary', 'Accept-Encoding').type('text/html; charset=utf-8')
  const text = String(page)
  if (!/\bgzip\b/.test(String(headers['accept-encoding']))) return reply.send(text)
  return reply.header('content-encoding', 'gzip').send(await compress(text, { level: COMPRESSION }))
}

const compress = promisify(gzip)
/** Most of the size reduction for a third of the time of the highest level. */
const COMPRESSION = 4

/** Only the inlined script and styles are allowed, by their hashes. */
export const pagePolicy = (
  look: Look,
  { framers, formAction }: { framers: string[]; formAction: string[] },
): string =>
  [
    "default-src 'none'",
    `script-src ${SCRIPT_HASH}`,
    `style-src ${STYLE_HASH} ${hashSource(brandStyle(look))}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action ${formAction.join(' ')}`,
    `frame-ancestors ${framers.length > 0 ? framers.join(' ') : "'none'"}`,
    "base-uri 'none'",
  ].join('; ')

/**
 * The response to a form may redirect to the provider and the application; Chromium applies form-action to the whole
 * redirect chain.
 */
const formActions = (session: PageOwner | null, development: boolean, base: string): string[] => {
  const apps = [session?.callbackUrl, session?.settings?.redirect_uri]
    .filter(address => address && isAppCallback(address))
    .map(address => new URL(address as string).protocol)
  // The client of a sign-in may listen on a loopback address.
  const loopback = [session?.callbackUrl].flatMap(address =>
    address?.startsWith('http:') ? new URL(address).origin : [],
  )
  return ["'self'", base, 'https:', ...(development ? ['http:'] : []), ...apps, ...loopback]
}
