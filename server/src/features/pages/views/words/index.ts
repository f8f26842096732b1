import type { LinkLanguage } from '@carabiner/contract'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import { ptBr } from './pt-br.ts'
import type { Words } from './words.ts'

export type { Words } from './words.ts'

export const catalogs: Record<LinkLanguage, Words> = { en, de, fr, es, 'pt-BR': ptBr, ja, ar }

export const wordsIn = (language: LinkLanguage): Words => catalogs[language]
