import { hash } from 'node:crypto'

/** One stylesheet for both providers: Notes is warm, Vault is cool. Each page sets its class. */
export const styles = `
:root{color-scheme:light dark;--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.notes{--ground:#fbf4e6;--glow:#fde7c8;--paper:#fffdf8;--ink:#2b2118;--muted:#6f5f50;--line:#ecdfc9;--hover:#fdf3e1;--accent:#b8480b;--accent-deep:#9a3a06;--on-accent:#fff;--tile:#f08a3c;--tile-deep:#d9611a;--on-tile:#fff;--shadow:0 1px 2px rgb(94 58 20/.05),0 22px 48px -24px rgb(94 58 20/.28);--title:"Iowan Old Style","Palatino Linotype",Palatino,Charter,Georgia,"Noto Serif",ui-serif,serif}
.vault{--ground:#eff3f2;--glow:#dcebe7;--paper:#fdfefe;--ink:#16211f;--muted:#55655f;--line:#dbe4e1;--hover:#eef5f3;--accent:#0f6b5c;--accent-deep:#0a5347;--on-accent:#fff;--tile:#1c8674;--tile-deep:#0d5f52;--on-tile:#fff;--shadow:0 1px 2px rgb(14 48 42/.05),0 22px 48px -24px rgb(14 48 42/.26);--title:var(--sans)}
@media (prefers-color-scheme:dark){
.notes{--ground:#17120d;--glow:#2a1c0f;--paper:#211a13;--ink:#f6ecdd;--muted:#b9a792;--line:#3a2e22;--hover:#2b2219;--accent:#f4a261;--accent-deep:#f8b680;--on-accent:#2a1504;--shadow:0 1px 0 rgb(255 240 220/.04) inset,0 24px 56px -24px rgb(0 0 0/.8)}
.vault{--ground:#0e1413;--glow:#13231f;--paper:#161d1b;--ink:#e9f1ef;--muted:#a0b0ab;--line:#27322f;--hover:#1d2725;--accent:#63cdb8;--accent-deep:#84dcca;--on-accent:#04201a;--shadow:0 1px 0 rgb(230 255 248/.04) inset,0 24px 56px -24px rgb(0 0 0/.8)}
}
*{box-sizing:border-box}
body{margin:0;min-height:100dvh;display:flex;flex-direction:column;align-items:center;justify-content:center;padding:40px 20px;background:radial-gradient(60rem 30rem at 50% -8rem,var(--glow),transparent) no-repeat var(--ground);color:var(--ink);font:400 15px/1.5 var(--sans);-webkit-font-smoothing:antialiased}
.sheet{width:448px;max-width:100%;background:var(--paper);border:1px solid var(--line);border-radius:20px;box-shadow:var(--shadow);padding:32px 36px 30px}
.brand{display:flex;align-items:center;gap:11px;margin:0 0 26px;font:600 16px/1 var(--sans);letter-spacing:-.01em}
.tile{width:38px;height:38px;border-radius:11px;display:grid;place-items:center;background:linear-gradient(160deg,var(--tile),var(--tile-deep));color:var(--on-tile);font:700 20px/1 var(--title)}
h1{margin:0 0 8px;font:600 27px/1.2 var(--title);letter-spacing:-.012em;text-wrap:balance;overflow-wrap:anywhere}
.vault .sheet{width:500px}
.vault h1{font-size:24px;font-weight:640}
.lead{margin:0 0 24px;color:var(--muted);text-wrap:pretty;overflow-wrap:anywhere}
.lead b,.fine b{color:var(--ink);font-weight:600}
form{margin:0}
button{font:inherit;color:inherit;cursor:pointer}
.people{display:grid;gap:10px}
.person{display:flex;align-items:center;gap:14px;width:100%;min-height:68px;padding:12px 16px;border:1px solid var(--line);border-radius:14px;background:none;text-align:start}
.person svg{flex:none;color:var(--muted)}
.person:hover{background:var(--hover);border-color:color-mix(in srgb,var(--accent) 45%,var(--line))}
.who{flex:1;min-width:0;font-weight:560}
.who small{display:block;font-size:13.5px;font-weight:400;color:var(--muted);overflow-wrap:anywhere}
.face{flex:none;width:40px;height:40px;border-radius:50%;display:grid;place-items:center;font:600 14px/1 var(--sans)}
.face.ana{background:#ffd9d0;color:#8c2a16}.face.ben{background:#d3e8e4;color:#12524a}
.signed{display:flex;align-items:center;gap:12px;margin:0 0 22px;padding:0 0 20px;border-bottom:1px solid var(--line)}
.signed .face{width:36px;height:36px;font-size:13px}
fieldset{margin:0 0 18px;padding:0;border:0;min-width:0}
legend{padding:0;margin:0 0 10px;font-weight:600;font-size:14px}
.powers{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:14px;overflow:hidden}
.powers li+li{border-top:1px solid var(--line)}
.power{display:flex;gap:13px;padding:13px 16px;align-items:flex-start}
.power small{display:block;color:var(--muted);font-size:13.5px}
.power>svg{flex:none;width:20px;height:20px;margin-top:1px;color:var(--accent)}
label.power{cursor:pointer}label.power:hover{background:var(--hover)}
.power .grow{flex:1}
input[type=checkbox]{appearance:none;flex:none;width:20px;height:20px;margin:1px 0 0;border:1.5px solid color-mix(in srgb,var(--muted) 85%,transparent);border-radius:6px;background:var(--paper);display:grid;place-items:center;cursor:pointer}
input[type=checkbox]:checked{background:var(--accent);border-color:var(--accent)}
input[type=checkbox]:checked::after{content:"";width:10px;height:5.5px;border:solid var(--on-accent);border-width:0 0 2px 2px;transform:translateY(-1.5px) rotate(-45deg)}
.optional{flex:none;font-size:12.5px;color:var(--muted);border:1px solid var(--line);border-radius:99px;padding:1px 9px;background:var(--paper)}
.fine{margin:0 0 20px;color:var(--muted);font-size:13.5px;text-wrap:pretty;overflow-wrap:anywhere}
.choices{display:grid;grid-template-columns:1fr 1fr;gap:10px}
.act{min-height:48px;padding:0 18px;border-radius:12px;border:1px solid transparent;font:600 15px/1.2 var(--sans);text-align:center}
.act.main{background:var(--accent);color:var(--on-accent)}.act.main:hover{background:var(--accent-deep)}
.act.plain{background:none;border-color:var(--line)}.act.plain:hover{background:var(--hover)}
.link{border:0;background:none;padding:0 6px;margin-inline:-6px;min-height:44px;border-radius:8px;color:var(--accent);font-size:14px;font-weight:560;text-decoration:underline;text-decoration-color:color-mix(in srgb,var(--accent) 35%,transparent);text-underline-offset:3px}
.link:hover{text-decoration-color:currentColor}
.signed .link{flex:none}
.back{margin:16px 0 -12px}.back .link{color:var(--muted);text-align:start;overflow-wrap:anywhere}.back .link:hover{color:var(--ink)}
.keys{list-style:none;margin:0 0 4px;padding:0;display:grid;gap:14px}
.keys li{border:1px solid var(--line);border-radius:14px;padding:14px 16px 5px}
.holder{display:flex;align-items:center;gap:12px;margin-bottom:12px}
.key{display:block;padding:11px 13px;border-radius:10px;border:1px solid var(--line);background:var(--hover);font:500 13.5px/1.45 var(--mono);overflow-wrap:anywhere;text-wrap:balance;user-select:all;-webkit-user-select:all}
.key.gone{color:var(--muted);text-decoration:line-through;user-select:none;-webkit-user-select:none}
.status{flex:none;display:inline-flex;align-items:center;gap:6px;font-size:13px;font-weight:560;color:var(--muted)}
.status::before{content:"";width:8px;height:8px;border-radius:50%;border:1.5px solid currentColor}
.status.live{color:var(--accent)}.status.live::before{background:currentColor}
.keys form{display:flex;justify-content:space-between;align-items:center;gap:10px;margin-top:4px}
.keys .link{flex:none}
.keys .hint{color:var(--muted);font-size:13px}
.code{font:500 13px/1.4 var(--mono);color:var(--muted)}
.sandbox{margin:22px 0 0;color:var(--muted);font-size:13px;text-align:center}
:focus-visible{outline:3px solid color-mix(in srgb,var(--accent) 55%,transparent);outline-offset:2px}
.powers label:focus-within{background:var(--hover)}
@media (max-width:480px){
body{display:block;padding:0;background:var(--ground)}
.person,.powers,.keys li,.act.plain{background:var(--paper)}
.sheet{width:100%;border:0;border-radius:0;box-shadow:none;padding:24px 22px 8px;background:none}
.sandbox{margin:18px 22px;padding-bottom:env(safe-area-inset-bottom)}
h1{font-size:25px}
.signed{flex-wrap:wrap;row-gap:0;padding-bottom:8px}.signed .who{flex-basis:70%}.signed .link{margin-inline-start:42px}
}
@media (max-width:340px){.choices{grid-template-columns:1fr}}
@media (prefers-reduced-motion:no-preference){button,label.power{transition:background .12s,border-color .12s}}
@media (forced-colors:active){input[type=checkbox]{appearance:auto}input[type=checkbox]:checked::after{content:none}}
`

/**
 * No scripts, and only this stylesheet. form-action is not set, because Chromium applies it to the whole redirect
 * chain after a form, which must end at the client.
 */
export const pageSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', styles, 'base64')}'`,
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
