/** Every entity that can be found. Names are those of Microsoft Presidio where it has one. The order breaks ties. */
export const ENTITIES = [
  'PRIVATE_KEY',
  'JWT',
  'API_KEY',
  'CARABINER_TOKEN',
  'EMAIL_ADDRESS',
  'CREDIT_CARD',
  'IBAN_CODE',
  'CRYPTO',
  'US_SSN',
  'US_ITIN',
  'US_BANK_NUMBER',
  'US_PASSPORT',
  'US_DRIVER_LICENSE',
  'MEDICAL_LICENSE',
  'UK_NHS',
  'UK_NINO',
  'DE_TAX_ID',
  'DE_SOCIAL_SECURITY',
  'DE_ID_CARD',
  'FR_NIR',
  'ES_NIF',
  'ES_NIE',
  'IT_FISCAL_CODE',
  'IT_VAT_CODE',
  'PL_PESEL',
  'IN_AADHAAR',
  'IN_PAN',
  'IN_GSTIN',
  'IN_VOTER',
  'IN_PASSPORT',
  'AU_TFN',
  'AU_ABN',
  'AU_ACN',
  'AU_MEDICARE',
  'SG_NRIC_FIN',
  'PHONE_NUMBER',
  'IP_ADDRESS',
  'MAC_ADDRESS',
  'DATE_TIME',
  'URL',
  'PERSON',
  'LOCATION',
] as const

/** The name of a built-in entity. */
export type Entity = (typeof ENTITIES)[number]

/** Names and places are guesses from a dictionary, and nearly every text contains a date or a URL. */
const OPTIONAL: readonly Entity[] = ['PERSON', 'LOCATION', 'DATE_TIME', 'URL']

/** The entities to look for by default: all except `PERSON`, `LOCATION`, `DATE_TIME` and `URL`. */
export const DEFAULT_ENTITIES: readonly Entity[] = ENTITIES.filter(entity => !OPTIONAL.includes(entity))
