/** Which texts a ticket may hold: no scripts, frames or PHP in whatever spelling, everything else. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isUnsafeHtml } from "../../../shared/domain/ticketing/unsafe-html.js";

describe("unsafe", () => {
  test.each([
    ["as everybody writes it", "<script>alert(1)</script>"],
    ["in the middle of a text", "Buongiorno,\n<script src=//x.example>"],
    ["in mixed case", "<ScRiPt>"],
    ["with a long s", "<ſcript>"],
    ["closing only", "text </script>"],
    ["unclosed", "<script"],
    ["unclosed with an attribute", "<script src='x'"],
    ["with a slash for white space", "<script/src=x>"],
    ["after white space", "< \t\n script >"],
    ["with white space inside", "<scr\nipt>"],
    ["with a prefix, as in XML", '<x:script xmlns:x="http://www.w3.org/1999/xhtml">'],
    ["with a backslash", "<\\script>"],
    ["with a NUL inside", "<scr\0ipt>"],
    ["with characters that nobody sees", "<s\u200bc\u00adr\u0001ipt>"],
    ["with selectors and joiners that nobody sees", "<s\ufe0fc\u034fr\u115fipt>"],
    ["in full-width characters", "＜ｓｃｒｉｐｔ＞"],
    ["nested in itself", "<scr<script>ipt>"],
    ["nested around another tag", "<scr<b>ipt>"],
    ["nested around a comment", "<scr<!-- -->ipt>"],
    ["nested deep", `<scr${"<b".repeat(20)}${">".repeat(20)}ipt>`],
    ["nested twice", "<s<i>cr<u><b></b></u>ipt>"],
    ["with named entities", "&lt;script&gt;"],
    ["with entities in upper case", "&LT;SCRIPT&GT;"],
    ["with entities without semicolons", "&lt script>"],
    ["with decimal entities", "&#60;script&#62;"],
    ["with padded decimal entities", "&#0000060script"],
    ["with hexadecimal entities", "&#x3C;script&#X3e;"],
    ["with letters as entities", "<scr&#105;pt>"],
    ["with a NUL as an entity", "<scr&#0;ipt>"],
    ["with a line break as an entity", "<scr&NewLine;ipt>"],
    ["encoded twice", "&amp;lt;script&amp;gt;"],
    ["encoded thrice by numbers", "&#38;amp;#60;script"],
    ["encoded without end", `${"&amp;".repeat(1)}${"amp;".repeat(2_000)}lt;script`],
    ["as in an address", "%3Cscript%3E"],
    ["as in an address of old", "%u003cscript"],
    ["with a NUL as in an address", "<%00script"],
    ["as in a script", "\\u003cscript\\x3e"],
    ["as in a script of old", "\\74script\\076"],
    ["a frame", '<iframe src="https://x.example"></iframe>'],
    ["a frame in upper case", "<IFRAME/>"],
    ["an encoded frame", "&lt;iframe"],
    ["PHP", "<?php echo 1; ?>"],
    ["PHP in upper case", "<?PHP"],
    ["PHP after white space", "< ? php"],
    ["PHP that prints", "<?= $x ?>"],
    ["PHP in short", "<? echo 1 ?>"],
    ["PHP in short before a bracket", '<?(system("ls"))?>'],
    ["PHP in short before a command", "<?`ls`?>"],
    ["PHP in short before a text", "<? 'system'('ls') ?>"],
    ["PHP in short before a comment", "<?# x\necho 1"],
    ["encoded PHP", "&lt;&#63;php"],
    ["a script said to be PHP", '<script language="php">'],
    ["an object", "<object data=x>"],
    ["an embedded thing", "<embed/src=x>"],
    ["a style's address", '<link rel=stylesheet href="//x.example">'],
    ["an address after a quoted bracket", '<link title="<" href=x>'],
    ["a link behind a comparison", "se x<y <link href=z>"],
    ["another base", "<base href='//x.example'>"],
    ["a page that moves on", '<META http-equiv="refresh" content="0">'],
    ["styles", "<style>"],
    ["an event's handler", "<img src=x onerror=alert(1)>"],
    ["a handler after a quoted bracket", '<img title=">" onerror = "alert(1)">'],
    ["a handler after a quoted opening bracket", '<img title="a<b" onerror=alert(1)>'],
    ["a handler after an opening bracket", '<img title=a<1 " onerror=alert(1)>'],
    ["a handler between lone quotes", '<img " onerror=alert(1) " x>'],
    ["a handler after a tag with a lone quote", '<a "><img title=">" onerror=alert(1)>'],
    ["a handler after a sign that only looks like a name's end", '<a =" b=">" onerror=alert(1)>'],
    ["a handler after a space that is a value", '<a b=\u00a0" c=">" onerror=alert(1)>'],
    ["a handler whose equals sign has a mark", "<img src=x onerror=\u0338alert(1)>"],
    ["a handler in a tag whose name has a mark", "<a\u0301 onerror=alert(1)>"],
    ["an address after a tag with a lone quote", '<a "><link title=">" href=x>'],
    ["an address behind a comparison and a quoted bracket", 'se x<y <link title="<" href=x>'],
    ["a handler after a slash", "<svg/onload=alert(1)>"],
    ["an address that is a script", '<a href=" java\nscript:alert(1)">'],
    ["an address that is a script, with a tab", '<a href="jav&#x09;ascript:alert(1)">'],
    ["an address with a prefix", '<a xlink:href="javascript:alert(1)">'],
  ])("%s", (_, text) => {
    expect(isUnsafeHtml(text)).toBe(true);
    expect(isUnsafeHtml(`prima ${text} dopo`)).toBe(true);
  });
});

describe("harmless", () => {
  test.each([
    "",
    "Il saldo non è aggiornato",
    "5 < 10 e 10 > 5",
    "a<b>c",
    "<3 ❤ >:-(",
    "<nome> <cognome>",
    "<b>grassetto</b> <i>corsivo</i> <br/>",
    '<a href="https://example.com/?q=1&lt=2">qui</a>',
    "if (importo<saldo && saldo>0)",
    "script, iframe e PHP",
    "lo <scripting> e la <description>",
    "<script-element> e <iframes>",
    "<?xml version='1.0'?>",
    "quanto <?>",
    'tra "<?" e "?>"',
    "clicco su <link> e vedo </link>",
    "il valore <base> con <meta>, <object> e <frame>",
    "se x<link, data = oggi",
    "saldo <limite e oneri = 5",
    '<b online="sì">qui</b>',
    '<a title="onere = 3">ok</a>',
    "importo < base, valore < stile",
    "online = sì, <b>connesso</b> on = 1",
    "javascript: non funziona",
    "100% &amp; più, 50%25, AT&T, &copy;",
    "<".repeat(5_000) + ">".repeat(5_000),
    "\u{1F600} < \u{1F601}",
  ])("%j", (text) => {
    expect(isUnsafeHtml(text)).toBe(false);
  });
});

test("no masking of a script's tag passes, whatever stands around it", () => {
  const masks = [
    (char: string) => char,
    (char: string) => char.toUpperCase(),
    (char: string) => `&#${char.charCodeAt(0)};`,
    (char: string) => `&#x${char.charCodeAt(0).toString(16)};`,
    (char: string) => `${char}\u200d`,
    (char: string) => `${char}\0`,
    (char: string) => `&amp;#${char.charCodeAt(0)};`,
  ];
  const choices = fc.array(fc.nat(masks.length - 1), { minLength: 7, maxLength: 7 });
  const plain = fc.string({ unit: fc.constantFrom("a", " ", ".", ">", "1") });
  fc.assert(
    fc.property(choices, plain, plain, (choice, before, after) => {
      const tag = Array.from("<script", (char, place) => masks[choice[place] ?? 0]?.(char) ?? char);
      return isUnsafeHtml(`${before}${tag.join("")} ${after}`);
    }),
  );
});

test("a text of the greatest length is judged in a time that grows no faster than its length", () => {
  const costOf = (text: string): number => {
    const from = process.cpuUsage();
    for (let time = 0; time < 20; time += 1) isUnsafeHtml(text);
    const { user, system } = process.cpuUsage(from);
    return user + system;
  };
  for (const part of [
    "<a ",
    "<",
    "&amp;",
    "< ",
    '<a b="',
    "<a on",
    " ",
    "<<b>>",
    "%253C",
    "<link ",
    '<?"(',
    " x=java",
  ]) {
    const short = part.repeat(2_000 / part.length);
    const long = part.repeat(16_000 / part.length);
    costOf(short);
    expect(costOf(long), part).toBeLessThan(32 * costOf(short) + 50_000);
  }
});
