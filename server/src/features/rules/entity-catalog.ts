import type { RuleAction, securityEntityGroups } from '@carabiner/contract'
import { DEFAULT_THRESHOLD, ENTITIES, type Entity } from '@carabiner/detection'

const DESCRIPTIONS: Record<Entity, string> = {
  PRIVATE_KEY: 'A private key in PEM format',
  JWT: 'A JSON Web Token',
  API_KEY: 'A key or token of a vendor, recognized by its documented prefix',
  CARABINER_TOKEN: 'A key, token or code of this service',
  EMAIL_ADDRESS: 'An email address',
  CREDIT_CARD: 'A payment card number, checked by issuer range and Luhn checksum',
  IBAN_CODE: 'An international bank account number, checked by country, length and mod 97',
  CRYPTO: 'A Bitcoin or Ethereum address, with its checksum',
  US_SSN: 'A United States Social Security number',
  US_ITIN: 'A United States individual taxpayer number',
  US_BANK_NUMBER: 'A United States bank routing number (ABA)',
  US_PASSPORT: 'A United States passport number',
  US_DRIVER_LICENSE: 'A United States driver’s license number',
  MEDICAL_LICENSE: 'A United States DEA registration number',
  UK_NHS: 'A British NHS number',
  UK_NINO: 'A British National Insurance number',
  DE_TAX_ID: 'A German tax identification number',
  DE_SOCIAL_SECURITY: 'A German social security number',
  DE_ID_CARD: 'A German identity card or passport number',
  FR_NIR: 'A French social security number',
  ES_NIF: 'A Spanish NIF or DNI',
  ES_NIE: 'A Spanish foreigner’s number',
  IT_FISCAL_CODE: 'An Italian fiscal code',
  IT_VAT_CODE: 'An Italian VAT number',
  PL_PESEL: 'A Polish PESEL',
  IN_AADHAAR: 'An Indian Aadhaar number',
  IN_PAN: 'An Indian permanent account number',
  IN_GSTIN: 'An Indian GST number',
  IN_VOTER: 'An Indian voter’s number',
  IN_PASSPORT: 'An Indian passport number',
  AU_TFN: 'An Australian tax file number',
  AU_ABN: 'An Australian business number',
  AU_ACN: 'An Australian company number',
  AU_MEDICARE: 'An Australian Medicare number',
  SG_NRIC_FIN: 'A Singaporean NRIC or FIN',
  PHONE_NUMBER: 'A telephone number, checked against the numbering plans of all countries',
  IP_ADDRESS: 'An IPv4 or IPv6 address',
  MAC_ADDRESS: 'A MAC address',
  DATE_TIME: 'A date or a time',
  URL: 'A web address',
  PERSON: 'A person’s name, recognized by dictionary and title',
  LOCATION: 'A place, recognized by dictionary',
}

type Group = (typeof securityEntityGroups)[number]

/** The others are identity numbers, whose names begin with their country. */
const GROUPS: Partial<Record<Entity, Group>> = {
  PRIVATE_KEY: 'secrets',
  JWT: 'secrets',
  API_KEY: 'secrets',
  CARABINER_TOKEN: 'secrets',
  EMAIL_ADDRESS: 'contact',
  PHONE_NUMBER: 'contact',
  PERSON: 'contact',
  LOCATION: 'contact',
  CREDIT_CARD: 'finance',
  IBAN_CODE: 'finance',
  CRYPTO: 'finance',
  US_BANK_NUMBER: 'finance',
  IP_ADDRESS: 'network',
  MAC_ADDRESS: 'network',
  URL: 'network',
  DATE_TIME: 'network',
}

const countryOf = (entity: Entity): string => {
  if (entity === 'MEDICAL_LICENSE') return 'US'
  const prefix = entity.slice(0, 2)
  return prefix === 'UK' ? 'GB' : prefix
}

/** Detection of these entities is not reliable. */
const HEURISTIC_ENTITIES: readonly Entity[] = ['PERSON', 'LOCATION']

type Actions = { inbound_action: RuleAction; outbound_action: RuleAction }
const NO_ACTION: Actions = { inbound_action: 'none', outbound_action: 'none' }
const LOG: Actions = { inbound_action: 'log', outbound_action: 'log' }
const REDACT_RESULT: Actions = { inbound_action: 'log', outbound_action: 'redact' }

/**
 * Decision 15: by default no data that an agent may need is removed from a result. Keys and tokens are logged; only secrets that
 * no model can use are redacted.
 */
const DEFAULT_ACTIONS: Partial<Record<Entity, Actions>> = {
  PRIVATE_KEY: REDACT_RESULT,
  CARABINER_TOKEN: REDACT_RESULT,
  API_KEY: LOG,
  JWT: LOG,
}

export const defaultActions = (entity: Entity): Actions => DEFAULT_ACTIONS[entity] ?? NO_ACTION

export const entityCatalog = ENTITIES.map(entity => ({
  name: entity,
  description: DESCRIPTIONS[entity],
  group: GROUPS[entity] ?? ('identity' as const),
  country: GROUPS[entity] ? null : countryOf(entity),
  detection: HEURISTIC_ENTITIES.includes(entity) ? ('guess' as const) : ('pattern' as const),
  default_inbound_action: defaultActions(entity).inbound_action,
  default_outbound_action: defaultActions(entity).outbound_action,
  default_threshold: DEFAULT_THRESHOLD,
}))
