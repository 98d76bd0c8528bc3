// Finds the sections in which all words are that were typed; `sections` is in index.js.
const field = document.getElementById("search");
const list = document.getElementById("found");
const shown = 12;

// How well a section answers; 0 where a word is missing.
function score([, title, text], words) {
    const [name, body] = [title.toLowerCase(), text.toLowerCase()];
    let sum = 0;
    for (const word of words) {
        const times = body.split(word).length - 1;
        if (name.includes(word)) sum += 20;
        else if (!times) return 0;
        sum += Math.min(times, 5);
    }
    return sum;
}

function excerpt(text, word) {
    const at = Math.max(text.toLowerCase().indexOf(word) - 40, 0);
    return (at ? "…" : "") + text.slice(at, at + 120) + (at + 120 < text.length ? "…" : "");
}

function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    list.replaceChildren();
    list.hidden = !words.length;
    if (!words.length) return;
    const found = sections.map((section) => [score(section, words), section]).filter(([sum]) => sum)
        .sort(([a], [b]) => b - a).slice(0, shown);
    for (const [, [place, title, text]] of found) {
        const item = document.createElement("li");
        const link = document.createElement("a");
        const passage = document.createElement("p");
        link.href = place;
        link.textContent = title;
        passage.textContent = excerpt(text, words[0]);
        item.append(link, passage);
        list.append(item);
    }
    if (!found.length) {
        const item = document.createElement("p");
        item.textContent = "Nothing found.";
        list.append(item);
    }
}

field.addEventListener("input", search);
search();
