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
import type { SessionRow } from '../sessions/link-session-store.ts'
import {
  brandStyle,
  type Frame,
  hashSource,
  type KnownFrame,
  type PageData,
  SCRIPT_HASH,
  STYLE_HASH,
  type WatchRead,
} from '../views/index.ts'
import { chooseLanguage } from '../views/words/choose-language.ts'
import { wordsIn } from '../views/words/index.ts'
import { withTexts } from '../views/words/overrides.ts'

/** `connect`: the top-level pages of `{base_url}`, framed by nobody. `link`: those of `{link_url}`, framed by listed origins. */
export type Door = 'connect' | 'link'

/** Somebody at a page of which no session is known. */
export type Stranger = { request: FastifyRequest; reply: FastifyReply; door: Door; view: View }

/** Somebody at a session's page. */
export type Visit = Stranger & {
  handle: string
  /** The path under which this session's pages stand, at this door. */
  base: string
  session: SessionRow
  standing: SessionStanding
}

const lookOf = (brand: Brand, { theme }: View): WatchRead => ({
  theme,
  colours: brand.colours,
  radius: brand.radius,
  coBranding: brand.coBranding,
  logo: brand.logo,
  supportHref: brand.supportUrl,
  privacyHref: brand.privacyUrl,
  termsHref: brand.termsUrl,
})

/** Before any organization is known; or, for its preview, as one wants it. */
export const unknownFrame = (
  { request, view }: Stranger,
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

/** Translates texts of connectors into the language of the page. */
export const translatorFor = (visit: Visit, { catalog }: Connectors): Translate =>
  catalog.translator(languageOf(visit.request, visit.view, brandOf(visit.session).defaultLanguage))

const languageOf = (request: FastifyRequest, view: View, fallback: (typeof linkLanguages)[number]) =>
  chooseLanguage({ asked: view.lang, accepted: request.headers['accept-language'], fallback })

/** `here`: which page of the session this is, so that another language of it can be linked to. */
export const frameOf = (
  visit: Visit,
  data: PageData = {},
  here: { path?: string; more?: Record<string, string> } = {},
): KnownFrame => {
  const { view, session, base } = visit
  return {
    ...unknownFrame(visit, { ...openerOf(visit), ...data }, brandOf(session)),
    languages: languagesAt(`${base}${here.path ?? ''}`, view, here.more),
    organization: { name: session.organization_name },
    user: userOf(session),
    testMode: session.mode === 'test',
  }
}

/** The page must say for whom it asks: by name, else by e-mail address, else by the application's own id. */
const userOf = ({ user_name, user_email, user_id }: SessionRow): KnownFrame['user'] => {
  const name = user_name?.trim() ?? ''
  return name === '' ? { name: user_email?.trim() || user_id, isName: false } : { name, isName: true }
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

/** The embedding page is spoken to only if it is on the list, and only by that name. */
const openerOf = ({ door, view, session }: Visit): PageData =>
  door === 'link' && view.opener !== null && session.allowed_origins.includes(view.opener)
    ? { opener: view.opener, ...(view.nonce !== null && { nonce: view.nonce }) }
    : {}

export const webOrigins = (session: SessionRow): string[] =>
  session.allowed_origins.filter(origin => /^https?:/.test(origin))

type Policy = { development: boolean; baseUrl: string }

export const sendPage = async (
  { request, reply, door, view }: Stranger,
  status: number,
  page: SafeHtml,
  session: SessionRow | null,
  { development, baseUrl }: Policy,
): Promise<FastifyReply> => {
  const framers = door === 'link' && session ? webOrigins(session) : []
  if (framers.length === 0) reply.header('x-frame-options', 'DENY')
  // A form says where it comes from only if the page may say so at all; paths are never told.
  if (door === 'link') reply.header('referrer-policy', 'strict-origin')
  const formAction = formActions(session, development, new URL(baseUrl).origin)
  const policy = pagePolicy(lookOf(brandOf(session), view), { framers, formAction })
  return sendHtml(request, reply.code(status).header('content-security-policy', policy), page)
}

/** Compressed, since a page brings its script and style along. The tokens in it are masked anew each time, so that sizes tell nothing. */
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
/** Most of the gain for a third of the time that the best takes. */
const COMPRESSION = 4

/** Nothing runs or shows but what the page brings along, known by its hash. */
export const pagePolicy = (
  look: WatchRead,
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

/** A form's answer may redirect on to the third party and to the application; Chromium holds that whole chain to form-action. */
const formActions = (session: SessionRow | null, development: boolean, base: string): string[] => {
  const apps = [session?.callback_url, session?.settings?.redirect_uri]
    .filter(address => address && isAppCallback(address))
    .map(address => new URL(address as string).protocol)
  return ["'self'", base, 'https:', ...(development ? ['http:'] : []), ...apps]
}
