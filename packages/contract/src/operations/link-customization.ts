import { Type } from 'typebox'
import {
  LinkCustomization,
  LinkCustomizationPatch,
  LinkLogo,
  LinkPreview,
  linkThemes,
} from '../link-customization.ts'
import { declareOperations } from './operation.ts'

const settingErrors = ['invalid_redirect_uri', 'reserved_redirect_parameter', 'unauthorized_origin'] as const
const ThemePath = Type.Object({ theme: Type.Enum(linkThemes) })

export const linkCustomizationOperations = declareOperations('Link customization', {
  getLinkCustomization: {
    route: 'GET /link-customization',
    client: 'linkCustomization.get',
    summary: 'Retrieve the Link customization',
    responses: { 200: LinkCustomization },
    productionKeyOnly: true,
  },
  updateLinkCustomization: {
    route: 'PATCH /link-customization',
    group: 'settings',
    client: 'linkCustomization.update',
    summary: 'Update the Link customization',
    description:
      'Changes only the given fields. null and empty values ("" for a text, [] for a list, {} for a map) clear a field.',
    body: LinkCustomizationPatch,
    responses: { 200: LinkCustomization },
    errors: settingErrors,
    productionKeyOnly: true,
    audit: { action: 'link_customization.updated' },
  },
  createLinkPreview: {
    route: 'POST /link-customization/preview',
    group: 'settings',
    client: 'linkCustomization.preview',
    summary: 'Preview the Link customization',
    description:
      'Accepts the same fields as an update and shows their effect without changing the settings. Without fields, the preview shows the current pages. An organization has one draft: the latest.',
    body: LinkCustomizationPatch,
    responses: { 201: LinkPreview },
    errors: settingErrors,
    productionKeyOnly: true,
    audit: false,
    idempotency: false,
  },
  uploadLinkLogo: {
    route: 'PUT /link-customization/logo/{theme}',
    group: 'settings',
    client: 'linkCustomization.putLogo',
    summary: 'Upload a logo',
    description:
      'The body is the image: image/png, image/jpeg or image/webp, at most 512 kB, 16 to 2048 px per side. It is converted to a PNG of at most 512 × 160 px without metadata. Only the first frame of an animation is used.',
    params: ThemePath,
    responses: { 200: LinkLogo },
    errors: ['invalid_logo', 'unsupported_logo', 'body_too_large', 'invalid_request'],
    productionKeyOnly: true,
    audit: { action: 'link_logo.replaced', target: 'params.theme', values: ['width', 'height'] },
  },
  deleteLinkLogo: {
    route: 'DELETE /link-customization/logo/{theme}',
    group: 'settings',
    client: 'linkCustomization.removeLogo',
    summary: 'Delete a logo',
    description: 'Removes the logo of one theme.',
    params: ThemePath,
    responses: { 204: Type.Null() },
    errors: ['logo_not_found', 'invalid_request'],
    productionKeyOnly: true,
    audit: { action: 'link_logo.removed', target: 'params.theme' },
  },
})
