import { parseToolName } from '../admission/tool-names.ts'

/**
 * The tool that a name means: its own, or the only one that differs in case and separators. Some clients replace characters that
 * their model API does not allow. Tools of the service itself have no such characters.
 */
export const restoreName = (given: string, names: readonly string[]): string | null => {
  const ofConnectors = names.filter(name => parseToolName(name) !== null)
  if (ofConnectors.includes(given)) return given
  const wanted = normalize(given)
  const [found, ...others] = ofConnectors.filter(name => normalize(name) === wanted)
  return found !== undefined && others.length === 0 ? found : null
}

const normalize = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '_')
