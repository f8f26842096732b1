import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type BrandTheme, brandColors, contrast } from './brand-colors.ts'

const SURFACES = {
  light: ['#ffffff', '#f5f6f8', '#f1f3f6'],
  dark: ['#16191f', '#1e222a', '#0c0e12'],
}
const THEMES = ['light', 'dark'] as const
const INKS = ['#ffffff', '#0b1026']

const hex = (red: number, green: number, blue: number): string =>
  `#${[red, green, blue].map(byte => byte.toString(16).padStart(2, '0')).join('')}`

/** All corners and edges of the RGB cube, all grays, and a sample of the other colors. */
const colors = (): string[] => {
  const steps = [0, 1, 51, 102, 127, 128, 153, 204, 254, 255]
  const cube = steps.flatMap(red => steps.flatMap(green => steps.map(blue => hex(red, green, blue))))
  const grays = Array.from({ length: 256 }, (_, level) => hex(level, level, level))
  let seed = 42
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor(seed / 65_536) % 256
  }
  const spread = Array.from({ length: 1000 }, () => hex(next(), next(), next()))
  return [...new Set([...cube, ...grays, ...spread])]
}

const standsOut = (color: string, theme: 'light' | 'dark'): boolean =>
  SURFACES[theme].every(surface => contrast(color, surface) >= 3)
const takesText = (color: string): boolean => INKS.some(ink => contrast(color, ink) >= 4.5)

const assertReadable = (
  { primary, on_primary, ratio, accent }: BrandTheme,
  theme: 'light' | 'dark',
  from: string,
) => {
  assert.match(primary, /^#[0-9a-f]{6}$/, from)
  assert.ok(INKS.includes(on_primary), from)
  assert.ok(contrast(primary, on_primary) >= 4.5, `${from} → ${primary} with ${on_primary}`)
  assert.ok(ratio >= 4.5 && ratio <= contrast(primary, on_primary), `${from}: ${ratio}`)
  assert.match(accent, /^#[0-9a-f]{6}$/, from)
  assert.ok(standsOut(accent, theme), `${from} → ${accent}`)
}

describe('brand colors', () => {
  it('measure contrast as defined by WCAG', () => {
    assert.equal(contrast('#000000', '#ffffff'), 21)
    assert.equal(contrast('#ffffff', '#ffffff'), 1)
    assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48')
    assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54')
    assert.equal(contrast('#ff0000', '#0000ff'), contrast('#0000ff', '#ff0000'))
  })

  it('are the defaults if none is set', () => {
    const { light, dark } = brandColors({})
    assert.deepEqual([light.primary, light.on_primary], ['#1f2a44', '#ffffff'])
    assert.deepEqual([dark.primary, dark.on_primary], ['#8fa8ff', '#0b1026'])
    assert.deepEqual(brandColors({ primary_color: '#1F2A44' }), { light, dark })
  })

  it('are accessible in both themes for any chosen color', () => {
    const chosen = colors()
    assert.ok(chosen.length >= 2000, `${chosen.length}`)
    for (const color of chosen) {
      const derived = brandColors({ primary_color: color })
      const given = brandColors({ primary_color: color, primary_color_dark: color })
      for (const theme of THEMES) {
        assertReadable(derived[theme], theme, color)
        assertReadable(given[theme], theme, color)
      }
    }
  })

  it('stay unchanged if they are accessible', () => {
    let kept = 0
    for (const color of colors()) {
      const given = brandColors({ primary_color: color, primary_color_dark: color })
      for (const theme of THEMES) {
        if (!takesText(color)) continue
        kept += 1
        assert.equal(given[theme].primary, color, 'a button has the chosen color')
        if (standsOut(color, theme)) assert.equal(given[theme].accent, color)
      }
    }
    assert.ok(kept > 1000)
  })

  it('keep their hue and change lightness no more than needed', () => {
    // A yellow that is too light for white becomes darker, with its hue preserved: red and green stay above blue.
    const [red, green, blue] = channels(brandColors({ primary_color: '#ffd400' }).light.accent)
    assert.ok(red > blue + 60 && green > blue + 60)
    for (const color of ['#ffd400', '#00ffff', '#ffffff', '#ff80ff']) {
      const { accent } = brandColors({ primary_color: color }).light
      const least = Math.min(...SURFACES.light.map(surface => contrast(accent, surface)))
      assert.ok(least < 3.1, `${color} → ${accent}: ${least}`)
    }
  })

  it('become lighter for dark pages unless they are light enough', () => {
    const navy = brandColors({ primary_color: '#0a1f5c' })
    assert.equal(navy.light.primary, '#0a1f5c')
    assert.ok(contrast(navy.dark.primary, '#000000') > contrast('#0a1f5c', '#000000'))
    const [red, , blue] = channels(navy.dark.primary)
    assert.ok(blue > red)
    assert.equal(brandColors({ primary_color: '#e8590c' }).dark.primary, '#e8590c')
  })

  it('use the color chosen for dark pages as given', () => {
    const { light, dark } = brandColors({ primary_color_dark: '#FFD400' })
    assert.deepEqual([light.primary, dark.primary, dark.on_primary], ['#1f2a44', '#ffd400', '#0b1026'])
  })
})

const channels = (color: string): [number, number, number] => {
  const value = Number.parseInt(color.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}
