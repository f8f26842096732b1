import type { Entity } from './entities.ts'

/** Lowercase words that indicate an entity nearby, or in the value of a key that contains them. */
export const CONTEXT_WORDS: Partial<Record<Entity, string>> = {
  API_KEY: 'key token secret apikey credential bearer authorization password',
  CREDIT_CARD:
    'card cards credit debit visa mastercard amex maestro cc pan cardnumber carte karte kreditkarte kreditkartennummer tarjeta carta karta karty cartão',
  IBAN_CODE: 'iban bank account konto kontonummer compte cuenta conto rachunek',
  CRYPTO: 'bitcoin btc wallet crypto ethereum eth address satoshi',
  US_SSN: 'ssn ssns social ss',
  US_ITIN: 'itin taxpayer tax',
  US_BANK_NUMBER: 'routing aba rtn transit bank checking savings acct ach wire',
  US_PASSPORT: 'passport passports',
  US_DRIVER_LICENSE: 'driver drivers driving dl dmv dln',
  MEDICAL_LICENSE: 'dea prescriber physician practitioner medical registration',
  UK_NHS: 'nhs patient',
  UK_NINO: 'nino ni national insurance',
  DE_TAX_ID:
    'steuer steueridentifikationsnummer steuerid steuernummer idnr steueridnr tin identifikationsnummer',
  DE_SOCIAL_SECURITY:
    'sozialversicherungsnummer rentenversicherungsnummer rentenversicherung versicherungsnummer rvnr svnr sozialversicherung',
  DE_ID_CARD: 'personalausweis ausweis ausweisnummer personalausweisnummer reisepass passnummer',
  FR_NIR: 'nir sécu sécurité securite sociale insee vitale',
  ES_NIF: 'nif dni documento identidad',
  ES_NIE: 'nie extranjero extranjería',
  IT_FISCAL_CODE: 'fiscale codice cf',
  IT_VAT_CODE: 'iva piva partita vat',
  PL_PESEL: 'pesel',
  IN_AADHAAR: 'aadhaar aadhar uidai uid आधार',
  IN_PAN: 'pan permanent income',
  IN_GSTIN: 'gstin gst',
  IN_VOTER: 'voter epic election',
  IN_PASSPORT: 'passport passports',
  AU_TFN: 'tfn tax',
  AU_ABN: 'abn business',
  AU_ACN: 'acn company',
  AU_MEDICARE: 'medicare',
  SG_NRIC_FIN: 'nric fin',
  PHONE_NUMBER:
    'phone phones phonenumber tel telephone mobile cell cellphone fax whatsapp sms msisdn telefon telefonnummer mobil mobilnummer handy handynummer rufnummer téléphone téléphones portable fixe móvil movil teléfono telefono celular cellulare telefonu telefonie komórka komórkowy telefone',
  IP_ADDRESS: 'ip ips ipv4 ipv6 host server client remote addr',
  DATE_TIME:
    'date dates dob born birth birthday time datum geboren uhr naissance fecha nacimiento data nascita urodzenia',
  PERSON:
    'name names firstname lastname fullname surname customer patient employee contact nom nombre nome imię',
  LOCATION:
    'city town country address location place stadt ort land ville pays ciudad país città paese miasto',
}

/** Words that indicate that a dotted number is a version and not an IP address. */
export const VERSION_WORDS = 'version versions v ver release releases build upgraded firmware'
