import {
  LinkCustomization,
  LinkCustomizationPatch,
  LinkLogo,
  LinkPreview,
  type LinkTheme,
  linkThemes,
} from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { readOrganizationHandle } from '../../core/token.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { brandColors } from './brand-colors.ts'
import { checkPatch, unlistedRedirect } from './customization-patch.ts'
import { logoPath, withDefaults } from './link-customization.ts'
import { linkCustomizationStore, type StoredCustomization } from './link-customization-store.ts'
import { PREVIEW_TTL_MS, previewToken } from './link-preview.ts'
import { LOGO_TYPES, MAX_LOGO_BYTES, readLogo } from './logo.ts'

const settings = { productionKeyOnly: true } as const
const tags = ['Link customization']
const PATCH_ERRORS = ['invalid_redirect_uri', 'reserved_redirect_parameter', 'unauthorized_origin'] as const
const ThemePath = Type.Object({ theme: Type.Enum(linkThemes) })

type Dependencies = {
  db: Database
  signer: Signer
  baseUrl: string
  linkUrl: string
}

export const customizationRoutes = (
  api: Api,
  { db, signer, baseUrl, linkUrl }: Dependencies,
  clock: () => number = Date.now,
): void => {
  const show = async (organizationId: string): Promise<LinkCustomization> =>
    toLinkCustomization(baseUrl, organizationId, await linkCustomizationStore.find(db, organizationId))

  api.get(
    '/link-customization',
    {
      config: settings,
      schema: {
        summary: 'Retrieve the Link customization',
        tags,
        response: { 200: LinkCustomization },
      },
    },
    async request => show(request.principal.organizationId),
  )

  api.patch(
    '/link-customization',
    {
      config: {
        ...settings,
        errors: [...PATCH_ERRORS],
        audit: {
          action: 'link_customization.updated',
          before: request => show(request.principal.organizationId),
        },
      },
      schema: {
        summary: 'Update the Link customization',
        description:
          'Changes only the given fields. null and empty values ("" for a text, [] for a list, {} for a map) clear a field.',
        tags,
        body: LinkCustomizationPatch,
        response: { 200: LinkCustomization },
      },
    },
    async request => {
      const { organizationId } = request.principal
      const patch = checkPatch(request.body)
      const hasChanges = Object.keys(request.body).length > 0
      if (hasChanges && !(await linkCustomizationStore.save(db, organizationId, patch)))
        throw unlistedRedirect()
      return show(organizationId)
    },
  )

  api.post(
    '/link-customization/preview',
    {
      config: {
        ...settings,
        skipsWakeUp: true,
        idempotency: false,
        errors: [...PATCH_ERRORS],
        audit: false,
      },
      schema: {
        summary: 'Create a preview of the Link pages',
        description:
          'Accepts the same fields as an update and shows their effect without changing the settings. Without fields, the preview shows the current pages. An organization has one draft: the latest.',
        tags,
        body: LinkCustomizationPatch,
        response: { 201: LinkPreview },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      const draft = Object.keys(request.body).length > 0
      const patch = checkPatch(request.body)
      if (draft && !(await linkCustomizationStore.saveDraft(db, organizationId, patch)))
        throw unlistedRedirect()
      const shown = await linkCustomizationStore.findBrand(db, organizationId, draft)
      const expiresAt = clock() + PREVIEW_TTL_MS
      return reply.code(201).send({
        preview_url: `${linkUrl}/preview/${previewToken(signer, { organizationId, draft }, expiresAt)}`,
        expires_at: new Date(expiresAt).toISOString(),
        contrast: brandColors(shown?.settings ?? {}),
      })
    },
  )

  void api.register(async (scope: Api) => {
    acceptImages(scope)
    scope.put(
      '/link-customization/logo/:theme',
      {
        bodyLimit: MAX_LOGO_BYTES,
        config: {
          ...settings,
          errors: ['invalid_logo', 'unsupported_logo', 'body_too_large', 'invalid_request'],
          audit: { action: 'link_logo.replaced', target: 'params.theme', values: ['width', 'height'] },
        },
        schema: {
          summary: 'Upload the logo of a theme',
          description:
            'The body is the image: image/png, image/jpeg or image/webp, at most 512 kB, 16 to 2048 px per side. It is converted to a PNG of at most 512 × 160 px without metadata. Only the first frame of an animation is used.',
          tags,
          params: ThemePath,
          response: { 200: LinkLogo },
        },
      },
      async request => {
        const { organizationId } = request.principal
        const logo = await readLogo((request.body as Buffer | undefined) ?? Buffer.alloc(0))
        await linkCustomizationStore.putLogo(db, organizationId, request.params.theme, logo)
        return toLinkLogo(baseUrl, organizationId, { ...logo, hash: logo.hash.toString('hex') })
      },
    )
  })

  api.delete(
    '/link-customization/logo/:theme',
    {
      config: {
        ...settings,
        errors: ['logo_not_found', 'invalid_request'],
        audit: { action: 'link_logo.removed', target: 'params.theme' },
      },
      schema: {
        summary: 'Remove the logo of a theme',
        tags,
        params: ThemePath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      if (!(await linkCustomizationStore.deleteLogo(db, organizationId, request.params.theme)))
        throw new Refusal('logo_not_found')
      return reply.code(204).send(null)
    },
  )
}

/** In a separate scope: only this route accepts images, and it accepts nothing else. */
const acceptImages = (scope: Api): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(LOGO_TYPES, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  scope.addContentTypeParser('*', (_request, _payload, done) => done(new Refusal('unsupported_logo')))
}

/**
 * Public, because the logo is part of every Link page. The PNG is generated by the service, so browsers cannot interpret it
 * as anything else.
 */
export const brandAssets = (app: FastifyInstance, { db }: { db: Database }): void => {
  app.get<{ Params: { organization: string; file: string } }>(
    '/brand/:organization/:file',
    async (request, reply) => {
      const { organization, file } = request.params
      const hash = /^([0-9a-f]{32})\.png$/.exec(file)?.[1]
      const organizationId = readOrganizationHandle(organization)
      const customization =
        hash &&
        organizationId &&
        (await linkCustomizationStore.findLogo(db, organizationId, Buffer.from(hash, 'hex')))
      if (!customization) throw new Refusal('not_found')
      return reply
        .headers({
          'cache-control': 'public, max-age=31536000, immutable',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'cross-origin',
        })
        .type('image/png')
        .send(customization.png)
    },
  )
}

const toLinkCustomization = (
  baseUrl: string,
  organizationId: string,
  customization: StoredCustomization | null,
): LinkCustomization => {
  const logo = (theme: LinkTheme) => {
    const kept = customization?.logos?.[theme]
    return kept ? toLinkLogo(baseUrl, organizationId, kept) : null
  }
  return {
    ...withDefaults(customization?.settings ?? null),
    logo: { light: logo('light'), dark: logo('dark') },
    contrast: brandColors(customization?.settings ?? {}),
    updated_at: customization?.updatedAt?.toISOString() ?? null,
  }
}

const toLinkLogo = (
  baseUrl: string,
  organizationId: string,
  { hash, width, height }: { hash: string; width: number; height: number },
): LinkLogo => ({ url: baseUrl + logoPath(organizationId, hash), width, height })
